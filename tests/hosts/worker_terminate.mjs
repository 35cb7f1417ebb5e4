// Worker threads that are terminated in the middle of hooks, functions and blocking dispatches, over and over: their hooks
// are gone, those of others are not, the host lives and its own hooks still deny.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { alive, engine, event, gone, longHook, pidsIn, rounds, scratch } from "./host.mjs";

const objecting = engine("exit 2");
const work = (code) => {
  const source = `import * as host from ${JSON.stringify(new URL("./host.mjs", import.meta.url).href)};
    import { parentPort } from "node:worker_threads";
    const { engine, event } = host;\n${code}`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { execArgv: [] });
};

const ours = scratch("ours");
const controller = new AbortController();
const pending = engine(longHook(ours)).dispatch(event, { signal: controller.signal }).catch((error) => error.name);
const own = await pidsIn(ours);

async function terminate(call, limit) {
  const file = scratch("pids");
  const worker = work(`await engine(${JSON.stringify(longHook(file))}, ${limit}).${call}(event);`);
  const pids = await pidsIn(file);
  assert.equal(await worker.terminate(), 1);
  await gone(pids);
  assert.equal((await objecting.dispatch(event)).decision, "deny");
}

for (let round = 0; round < rounds(5); round++) await terminate("dispatch", 60);
// A worker that blocks in dispatchSync runs no JavaScript, so it ends when its hook does: at its time limit at the latest.
await terminate("dispatchSync", 1);

// In the middle of very many dispatches with functions, at whatever moment.
for (let round = 0; round < rounds(10); round++) {
  const worker = work(`
    const one = engine("exit 2");
    one.hook("PreToolUse", async () => { parentPort.postMessage(0); });
    for (;;) await Promise.all(Array.from({ length: 10 }, () => one.dispatch(event)));`);
  await once(worker, "message");
  assert.equal(await worker.terminate(), 1);
  assert.equal(objecting.dispatchSync(event).decision, "deny");
}

assert.deepEqual(own.map(alive), [true, true], "the main thread's hook went on");
controller.abort();
assert.equal(await pending, "AbortError");
await gone(own);
