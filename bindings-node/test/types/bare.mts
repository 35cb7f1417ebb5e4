// Compiled by `npm run check` without the types of Node and of the browser: the package's own must not need them.
import { Engine, type AbortSignalLike } from "crosshook";

declare const signal: AbortSignalLike;
const engine = new Engine({ dialect: "qwen", settings: {} });
export const bytes: Uint8Array = await engine.dispatch(new Uint8Array(0), { signal });
export const text: string = engine.dispatchSync("{}");
