// A worker thread with an engine of its own, beside one of the main thread; both end by themselves.
import { Worker, isMainThread } from "node:worker_threads";
import { Engine } from "crosshook";
const event = { hook_event_name: "Stop", session_id: "s", cwd: "/" };
const engine = new Engine({ dialect: "qwen", settings: { hooks: { Stop: [{ hooks: [{ type: "command", command: "exit 2" }] }] } } });
const { decision } = await engine.dispatch(event);
if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  const code = await new Promise((resolve) => worker.on("exit", resolve));
  console.log(decision, code);
} else if (decision !== "block") process.exit(3);
