// Cancelling: by a signal and by closing the engine.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { CrosshookError, Engine } from "crosshook";
import { alive, bash, denial, gone, longHook, pidsIn, qwen, tempDir } from "./helpers.mjs";

const isAborted = (error, reason) => {
  assert.ok(error instanceof CrosshookError, String(error));
  assert.equal(error.name, "AbortError");
  assert.equal(error.code, "cancelled");
  assert.equal(error.cause, reason);
};

test("abort kills the hook and its children, and tells how far it got", async (t) => {
  const file = join(tempDir(t), "pids");
  const engine = new Engine(qwen("PreToolUse", longHook(file)));
  const controller = new AbortController();
  const pending = engine.dispatch(bash("ls"), { signal: controller.signal }).catch((error) => error);
  const pids = await pidsIn(file);
  assert.equal(pids.length, 2);
  assert.deepEqual(pids.map(alive), [true, true]);
  const reason = new Error("the user pressed Escape");
  const start = performance.now();
  controller.abort(reason);
  const error = await pending;
  assert.ok(performance.now() - start < 5000);
  isAborted(error, reason);
  await gone(pids);
  assert.equal(error.outcome.event, "PreToolUse");
  assert.deepEqual(error.outcome.hooks.map(({ status }) => status), ["cancelled"]);
});

test("the default reason is the DOMException that web functions throw", async () => {
  const engine = new Engine(qwen("PreToolUse", "sleep 60"));
  const controller = new AbortController();
  const pending = engine.dispatch(bash("ls"), { signal: controller.signal }).catch((error) => error);
  controller.abort();
  const error = await pending;
  isAborted(error, controller.signal.reason);
  assert.equal(error.cause.name, "AbortError");
});

test("AbortSignal.timeout", async () => {
  const engine = new Engine(qwen("PreToolUse", "sleep 60"));
  const error = await engine.dispatch(bash("ls"), { signal: AbortSignal.timeout(50) }).catch((error) => error);
  assert.equal(error.code, "cancelled");
  assert.equal(error.cause.name, "TimeoutError");
});

test("a signal that has fired before starts nothing", async (t) => {
  const file = join(tempDir(t), "ran");
  const engine = new Engine(qwen("PreToolUse", `touch ${file}`));
  const signal = AbortSignal.abort("why");
  const error = await engine.dispatch(bash("ls"), { signal }).catch((error) => error);
  isAborted(error, "why");
  assert.equal(error.outcome, null);
  await engine.dispatch({ ...bash("ls"), hook_event_name: "Stop" });
  assert.equal(existsSync(file), false);
});

test("an abort after the end changes nothing, and no listener stays", async () => {
  const engine = new Engine(qwen("PreToolUse", denial("x")));
  const controller = new AbortController();
  const { signal } = controller;
  assert.equal((await engine.dispatch(bash("ls"), { signal })).decision, "deny");
  assert.equal(getEventListeners(signal, "abort").length, 0);
  controller.abort();
  assert.equal((await engine.dispatch(bash("ls"))).decision, "deny");
});

test("many dispatches share one signal with one listener", async (t) => {
  const warnings = [];
  const onWarning = (warning) => warnings.push(warning);
  process.on("warning", onWarning);
  t.after(() => process.off("warning", onWarning));
  const engine = new Engine(qwen("PreToolUse", "sleep 60"));
  const controller = new AbortController();
  const { signal } = controller;
  const pending = Array.from({ length: 30 }, () => engine.dispatch(bash("ls"), { signal }).catch((error) => error));
  assert.equal(getEventListeners(signal, "abort").length, 1);
  controller.abort("all");
  for (const error of await Promise.all(pending)) isAborted(error, "all");
  assert.equal(getEventListeners(signal, "abort").length, 0);
  assert.deepEqual(warnings, []);
});

test("an abort cancels its own dispatch only", async () => {
  const engine = new Engine(qwen("PreToolUse", "sleep 0.3; exit 2"));
  const controller = new AbortController();
  const other = engine.dispatch(bash("other"));
  const mine = engine.dispatch(bash("mine"), { signal: controller.signal }).catch((error) => error);
  controller.abort();
  isAborted(await mine, controller.signal.reason);
  assert.equal((await other).decision, "deny");
});

test("closing the engine ends its dispatches, and those of no other", async (t) => {
  const file = join(tempDir(t), "pids");
  const engine = new Engine(qwen("PreToolUse", longHook(file)));
  const other = new Engine(qwen("PreToolUse", "sleep 0.3; exit 2")).dispatch(bash("other"));
  const pending = engine.dispatch(bash("ls")).catch((error) => error);
  const pids = await pidsIn(file);
  await engine.close();
  await gone(pids);
  const error = await pending;
  assert.equal(error.code, "closed");
  assert.deepEqual(error.outcome.hooks.map(({ status }) => status), ["cancelled"]);
  assert.equal((await other).decision, "deny");
});
