// process.exit(), an exception and a signal of the own in the middle of hooks: the exit status is the host's, nothing of
// the hooks is left, and what is dispatched on the way out still denies.
import assert from "node:assert/strict";
import { gone, longHook, node, pidsIn, scratch } from "./host.mjs";

async function ends(code, exit, said = {}) {
  const file = scratch("pids");
  const end = await node(`
    const one = engine(${JSON.stringify(longHook(file))});
    one.dispatch(event);
    await pidsIn(${JSON.stringify(file)});
    ${code}`);
  assert.deepEqual([end.exit, end.signal], [exit, null], end.stderr);
  assert.equal(end.stdout, said.stdout ?? "");
  assert.match(end.stderr, said.stderr ?? /^$/);
  await gone(await pidsIn(file));
}

await ends("process.exit(3);", 3);
await ends("setImmediate(() => process.exit(4)); await new Promise(() => {});", 4);
await ends("throw new Error('boom');", 1, { stderr: /boom/ });
await ends("process.on('SIGTERM', () => process.exit(5)); process.kill(process.pid, 'SIGTERM'); await new Promise(() => {});", 5);
await ends(
  `process.on("exit", () => console.log(engine("exit 2").dispatchSync(event).decision));
   process.exit(6);`,
  6,
  { stdout: "deny\n" },
);
await ends("for (let n = 0; n < 20; n++) engine('sleep 60').dispatch(event); process.exit(7);", 7);
// In the middle of a function of the host.
await ends(`one.hook("Stop", () => process.exit(8)); one.dispatch({ ...event, hook_event_name: "Stop" }); await new Promise(() => {});`, 8);
