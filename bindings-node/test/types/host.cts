// Compiled by `npm run check`: the same types through CommonJS.
import crosshook = require("crosshook");

const engine = new crosshook.Engine({ dialect: "codebuddy", settings: { hooks: {} } });
const outcome: crosshook.Outcome<"Stop"> = engine.dispatchSync({ hook_event_name: "Stop" });
console.log(outcome.decision === "block");
