// How functions of the host become hooks, and how they go again.
import assert from "node:assert/strict";
import test from "node:test";
import { Engine } from "crosshook";
import { bash } from "./helpers.mjs";

const denying = (reason) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason },
});

/** An engine without settings. */
const bare = (options = {}) => new Engine({ dialect: "qwen", settings: {}, ...options });

test("a function for one session only", async () => {
  const engine = bare();
  engine.hook("PreToolUse", { sessionId: "mine" }, () => denying("mine"));
  assert.equal((await engine.dispatch({ ...bash("ls"), session_id: "mine" })).decision, "deny");
  assert.equal((await engine.dispatch({ ...bash("ls"), session_id: "yours" })).decision, "none");
});

test("registerFunction and unregister are what hook is made of", async () => {
  const engine = bare();
  const registered = engine.registerFunction({ event: "PreToolUse", timeoutMs: 1000 }, () => denying("registered"));
  assert.deepEqual(registered, { id: registered.id, hooks: 1, diagnostics: [] });
  assert.equal(engine.list()[0].timeout, 1);
  assert.equal((await engine.dispatch(bash("ls"))).reason, "registered");
  assert.equal(engine.unregister(registered.id), true);
  assert.equal(engine.unregister(registered.id), false);
});

test("what cannot be registered", async () => {
  const engine = bare();
  const wrong = { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" };
  for (const run of [undefined, null, "text", {}]) assert.throws(() => engine.hook("PreToolUse", {}, run), wrong);
  assert.throws(() => engine.hook("PreToolUse"), wrong);
  assert.throws(() => engine.hook(7, () => {}), wrong);
  assert.throws(() => engine.hook("PreToolUse", [], () => {}), wrong);
  for (const timeout of [-1, NaN, "5"]) assert.throws(() => engine.hook("PreToolUse", { timeout }, () => {}), wrong);
  for (const option of ["model", "agent"]) assert.throws(() => bare({ [option]: "gpt" }), wrong);
  const invalid = (part) => ({ name: "CrosshookError", code: "invalid_options", message: part });
  assert.throws(() => engine.hook("NoSuchEvent", () => {}), invalid(/no event `NoSuchEvent`/));
  assert.throws(() => engine.hook("PreToolUse", { matcher: "(" }, () => {}), invalid(/matcher/));
  assert.throws(() => engine.hook("PreToolUse", { no: 1 }, () => {}), invalid(/no/));
  const { diagnostics } = engine.hook("Stop", { matcher: "Bash" }, () => {});
  assert.equal(diagnostics.length, 1);
  await engine.close();
  assert.throws(() => engine.hook("PreToolUse", () => {}), { code: "closed" });
  assert.deepEqual(bare({ model: null, agent: undefined }).list(), []);
});

test("handles work with `using`", { skip: !Symbol.dispose }, async () => {
  const engine = bare();
  const handle = engine.hook("PreToolUse", () => denying("x"));
  handle[Symbol.dispose]();
  assert.equal((await engine.dispatch(bash("ls"))).decision, "none");
  await engine.close();
  assert.equal(handle(), false);
});
