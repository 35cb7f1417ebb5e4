import crosshook from "./index.cjs";

export const { Engine, CrosshookError, version } = crosshook;
