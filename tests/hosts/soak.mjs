// CROSSHOOK_SOAK dispatches (default 2,000) in both ways, and engines made and dropped: no memory, descriptor, thread or
// child is left behind. Half of the dispatches run a hook, half match none. Run with --expose-gc.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { engine, event, other, until } from "./host.mjs";

async function dispatches(one, times) {
  for (let n = 0; n < times; n += 20) {
    for (let k = 0; k < 5; k++) {
      assert.equal(one.dispatchSync(event).decision, "deny");
      assert.equal(one.dispatchSync(other).decision, "none");
    }
    const each = [event, other, event, other, event, other, event, other, event, other];
    const decisions = (await Promise.all(each.map((what) => one.dispatch(what)))).map(({ decision }) => decision);
    assert.deepEqual(decisions, each.map((what) => (what === event ? "deny" : "none")));
  }
}

async function engines(times) {
  for (let n = 0; n < times; n++) {
    const one = engine("exit 2");
    one.hook("PreToolUse", () => undefined);
    if (n % 10 === 0) assert.equal((await one.dispatch(event)).decision, "deny");
    if (n % 2) await one.close();
  }
}

/** In KiB, when the collector has nothing more to do: what JavaScript uses, and what is resident beside its heap. */
async function memory() {
  for (let n = 0; n < 5; n++) {
    gc();
    await sleep(10);
  }
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return { script: heapUsed / 1024, native: (rss - heapTotal) / 1024 };
}

const count = (what) => readdirSync(`/proc/self/${what}`).length;
const children = () =>
  readdirSync("/proc/self/task").flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean));

const times = Number(process.env.CROSSHOOK_SOAK ?? 2000);
const one = engine("exit 2");
await dispatches(one, 1000);
for (let n = 0; n < 10_000; n++) n % 2 ? await one.dispatch(other) : one.dispatchSync(other); // until all is compiled
await engines(1000);
const [before, descriptors, threads] = [await memory(), count("fd"), count("task")];
const began = performance.now();
await dispatches(one, times);
const seconds = (performance.now() - began) / 1000;
await engines(Math.min(times / 2, 1000));
const after = await memory();
const [script, native] = [after.script - before.script, after.native - before.native].map(Math.round);
console.log(`${times} dispatches in ${seconds.toFixed(1)} s, ${native} KiB more resident than before, ${script} KiB of objects`);
assert.ok(native < 10_240 && script < 1024);
await until(() => count("fd") <= descriptors && count("task") <= threads, "descriptors and threads to be given back");
assert.deepEqual(children(), []);
