// Functions of the host that dispatch on the engine that asked them, awaiting and blocking, many at once.
import assert from "node:assert/strict";
import { engine, event, rounds } from "./host.mjs";

const one = engine("exit 2");
const stop = { ...event, hook_event_name: "Stop" };
let asked = 0;
const block = ({ decision }) => (asked++, { decision: "block", reason: decision });
one.hook("Stop", { timeout: 60_000 }, async () => block(await one.dispatch(event)));
for (let round = 0; round < rounds(10); round++) {
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => one.dispatch(stop)));
  for (const { decision, reason } of outcomes) assert.deepEqual([decision, reason], ["block", "deny"]);
}
assert.equal(asked, 10 * rounds(10));

const sync = engine("exit 2");
sync.hook("Stop", { timeout: 60_000 }, () => block(sync.dispatchSync(event)));
for (let round = 0; round < rounds(50); round++) {
  const { decision, reason } = round % 2 ? sync.dispatchSync(stop) : await sync.dispatch(stop);
  assert.deepEqual([decision, reason], ["block", "deny"]);
}
assert.equal(asked, 10 * rounds(10) + rounds(50));
