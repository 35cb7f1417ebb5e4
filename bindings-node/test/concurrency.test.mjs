// Many at once, and beside Node's own children.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";
import { Engine } from "crosshook";
import { bash, qwen } from "./helpers.mjs";

test("dispatches of one engine run side by side and do not block the loop", async () => {
  const engine = new Engine(qwen("PreToolUse", "sleep 0.5; exit 2"));
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  const start = performance.now();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => engine.dispatch(bash("ls"))));
  const ms = performance.now() - start;
  clearInterval(timer);
  assert.deepEqual(new Set(outcomes.map(({ decision }) => decision)), new Set(["deny"]));
  assert.ok(ms >= 500 && ms < 5000, `20 dispatches of half a second took ${ms} ms`);
  assert.ok(ticks >= 10, `${ticks} ticks`);
});

test("each dispatch gets its own outcome", async () => {
  const engine = new Engine(qwen("PreToolUse", `sed 's/.*"command":"\\([^"]*\\)".*/\\1/' >&2; exit 2`));
  const commands = Array.from({ length: 50 }, (_, n) => `command-${n}`);
  const outcomes = await Promise.all(commands.map((command) => engine.dispatch(bash(command))));
  assert.deepEqual(outcomes.map(({ reason }) => reason.trim()), commands);
});

test("Node's own children beside ours: no exit status is lost", async () => {
  const engine = new Engine(qwen("PreToolUse", "sleep 0.0$(($$ % 10)); exit 2"));
  const run = promisify(execFile);
  const theirs = Array.from({ length: 50 }, (_, n) =>
    run("/bin/sh", ["-c", `sleep 0.0${n % 10}; exit ${n + 1}`]).then(
      () => 0,
      ({ code }) => code,
    ),
  );
  const ours = Array.from({ length: 50 }, () => engine.dispatch(bash("ls")));
  assert.deepEqual(await Promise.all(theirs), Array.from({ length: 50 }, (_, n) => n + 1));
  for (const { hooks } of await Promise.all(ours)) {
    assert.deepEqual([hooks[0].status, hooks[0].exit_code], ["blocked", 2]);
  }
});

test("dispatchSync while others are pending", async () => {
  const engine = new Engine(qwen("PreToolUse", "sleep 0.2; exit 2"));
  const pending = [engine.dispatch(bash("a")), engine.dispatch(bash("b"))];
  assert.equal(engine.dispatchSync(bash("c")).decision, "deny");
  for (const outcome of await Promise.all(pending)) assert.equal(outcome.decision, "deny");
});
