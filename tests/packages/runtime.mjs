// A host for any JavaScript runtime: a real event with a hook that denies, asynchronously and synchronously; a function
// as a hook; a dispatch that is cancelled. Ends by itself, with an idle engine and a listener left behind.
import { Engine, CrosshookError, dialectNames } from "crosshook";

const said = [];
const check = (what, found, wanted) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(found)}`);
  said.push(what);
};
const event = { hook_event_name: "PreToolUse", session_id: "s", cwd: "/", tool_name: "run_shell_command", tool_input: { command: "ls" } };
const verdict = ({ decision, reason }) => [decision, reason];
const settings = (command) => ({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } });

const engine = new Engine({ dialect: "qwen", settings: settings("echo not today >&2; exit 2") });
engine.watch(() => {});
check("async", verdict(await engine.dispatch(event)), ["deny", "not today"]);
check("sync", verdict(engine.dispatchSync(event)), ["deny", "not today"]);
check("text", JSON.parse(await engine.dispatch(JSON.stringify(event))).decision, "deny");

const guarded = new Engine({ dialect: "qwen", settings: {} });
guarded.hook("PreToolUse", async ({ tool_input }) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return { decision: "deny", reason: `no ${tool_input.command}` };
});
check("function", verdict(await guarded.dispatch(event)), ["deny", "no ls"]);
const sync = new Engine({ dialect: "qwen", settings: {} });
sync.hook("PreToolUse", () => ({ decision: "deny", reason: "at once" }));
check("function, sync", verdict(sync.dispatchSync(event)), ["deny", "at once"]);

const slow = new Engine({ dialect: "qwen", settings: settings("sleep 30") });
const error = await slow.dispatch(event, { signal: AbortSignal.timeout(100) }).catch((error) => error);
check("cancelled", [error instanceof CrosshookError, error.code, error.outcome.hooks[0].status], [true, "cancelled", "cancelled"]);
const wrong = await engine.dispatch("{").catch((error) => error.code);
check("errors", wrong, "invalid_event");
check("dialects", dialectNames().length, 6);
console.log(said.join(", "));
