// Node's own children beside ours: no exit status goes astray, on either side, and the loop goes on meanwhile.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { engine, event } from "./host.mjs";

const objecting = engine("sleep 0.0$(($$ % 10)); exit 2");
const own = (code) =>
  new Promise((resolve) => execFile("/bin/sh", ["-c", `sleep 0.0${code % 10}; exit ${code}`], (error) => resolve(error?.code ?? 0)));
const codes = Array.from({ length: 50 }, (_, n) => n + 1);
let ticks = 0;
const timer = setInterval(() => ticks++, 5);
for (let round = 0; round < 3; round++) {
  const [theirs, ours] = await Promise.all([Promise.all(codes.map(own)), Promise.all(codes.map(() => objecting.dispatch(event)))]);
  assert.deepEqual(theirs, codes);
  assert.deepEqual(new Set(ours.map(({ decision, hooks }) => `${decision} ${hooks[0].exit_code}`)), new Set(["deny 2"]));
  // Both block, one in the middle of the other's children.
  assert.equal(spawnSync("/bin/sh", ["-c", "exit 9"]).status, 9);
  assert.equal(objecting.dispatchSync(event).decision, "deny");
}
clearInterval(timer);
assert.ok(ticks > 10, "the loop stood still");
