// A host for a bundler: dispatches one event and prints what was decided.
import { Engine } from "crosshook";

const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "echo not today >&2; exit 2" }] }] };
const engine = new Engine({ dialect: "qwen", settings: { hooks } });
const event = { hook_event_name: "PreToolUse", cwd: "/", tool_name: "run_shell_command", tool_input: {} };
engine.dispatch(event).then(({ decision, reason }) => console.log(decision, reason));
