// What fails, and how it says so.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { CrosshookError, Engine } from "crosshook";
import { bash, qwen, tempDir } from "./helpers.mjs";

const wrongType = (part) => (error) => {
  assert.ok(error instanceof TypeError, String(error));
  assert.equal(error.code, "ERR_INVALID_ARG_TYPE");
  assert.match(error.message, part);
  return true;
};

const failure = (code, part, details = {}) => (error) => {
  assert.ok(error instanceof CrosshookError, String(error));
  assert.ok(error instanceof Error);
  assert.equal(error.name, "CrosshookError");
  assert.equal(error.code, code);
  assert.match(error.message, part);
  assert.equal(error.outcome, null);
  assert.deepEqual(Object.keys(error.details), ["path", "pointer", "line"]);
  for (const [key, value] of Object.entries(details)) assert.equal(error.details[key], value);
  return true;
};

test("arguments of a wrong type", async () => {
  const engine = new Engine(qwen("PreToolUse"));
  const bad = [undefined, null, 7, true, 7n, Symbol("x"), () => 1, [], [bash("ls")]];
  for (const value of bad) {
    await assert.rejects(engine.dispatch(value), wrongType(/^the event must be an object, a string or a Uint8Array/));
    for (const call of ["dispatchSync", "explain"]) assert.throws(() => engine[call](value), wrongType(/^the event/));
    assert.throws(() => new Engine(value), wrongType(/^the engine's options must be an object/));
  }
  assert.throws(() => new Engine("{}"), wrongType(/not a string/));
  await assert.rejects(engine.dispatch(bash("ls"), 7), wrongType(/^the options must be an object/));
  for (const signal of [7, {}, { aborted: false }, new AbortController()]) {
    await assert.rejects(engine.dispatch(bash("ls"), { signal }), wrongType(/`signal` must be an AbortSignal/));
  }
  for (const options of [undefined, null, {}, { signal: undefined }, { signal: null }]) {
    assert.equal((await engine.dispatch(bash("ls"), options)).decision, "none");
  }
});

test("what JSON.stringify cannot write", async () => {
  const engine = new Engine(qwen("PreToolUse", "exit 0"));
  const cycle = bash("ls");
  cycle.tool_input.self = cycle;
  await assert.rejects(engine.dispatch(cycle), TypeError);
  assert.throws(() => engine.dispatchSync({ ...bash("ls"), tool_input: { n: 1n } }), TypeError);
  assert.throws(() => new Engine({ dialect: "qwen", settings: { n: 1n } }), TypeError);
});

test("bad events", async () => {
  const engine = new Engine(qwen("PreToolUse"));
  const cases = [
    ["", /not a JSON object/],
    ["no JSON", /not a JSON object/, { line: 1 }],
    ['{\n"hook_event_name": "Stop"\n,}', /not a JSON object/, { line: 3 }],
    ["[]", /not a JSON object/],
    ["{}", /no `hook_event_name`/],
    [{}, /no `hook_event_name`/],
    [new Map([["hook_event_name", "Stop"]]), /no `hook_event_name`/],
    [{ hook_event_name: 7 }, /is a number, not a string/],
    [{ hook_event_name: "" }, /is empty/],
    [Buffer.from([0x7b, 0xff]), /not UTF-8/],
    [new Uint8Array(0), /not a JSON object/],
  ];
  for (const [event, part, details] of cases) {
    await assert.rejects(engine.dispatch(event), failure("invalid_event", part, details));
    assert.throws(() => engine.dispatchSync(event), failure("invalid_event", part, details));
    assert.throws(() => engine.explain(event), failure("invalid_event", part, details));
  }
});

test("bad options", () => {
  for (const options of [{}, { dialect: 7 }, { dialect: "klingon" }, { dialect: "qwen", trusted: "maybe" }]) {
    assert.throws(() => new Engine(options), failure("invalid_options", /./));
  }
});

test("bad settings name the file and the line", (t) => {
  const path = join(tempDir(t), "settings.json");
  const make = () => new Engine({ dialect: "qwen", settings: [{ scope: "user", path }] });
  assert.throws(make, (error) => {
    assert.match(error.code, /^(io|invalid_settings)$/);
    assert.equal(error.details.path, path);
    assert.ok(error.message.includes(path));
    return error instanceof CrosshookError;
  });
  writeFileSync(path, '{\n"hooks": {},\n oops\n}');
  assert.throws(make, failure("invalid_settings", /settings\.json/, { path, line: 3 }));
});

test("a hook that fails is no error of the call", async () => {
  const engine = new Engine(qwen("PreToolUse", "exit 7"));
  const outcome = await engine.dispatch(bash("ls"));
  assert.equal(outcome.decision, "none");
  assert.equal(outcome.hooks[0].status, "error");
  assert.equal(outcome.hooks[0].exit_code, 7);
  assert.ok(outcome.diagnostics.length > 0);
});

test("the error class can be made by hand, for tests of hosts", () => {
  const error = new CrosshookError("no", { code: "io", details: { path: "/x" }, cause: 1 });
  assert.deepEqual(error.details, { path: "/x", pointer: null, line: null });
  assert.equal(error.cause, 1);
  assert.equal("cause" in new CrosshookError("no"), false);
  assert.equal(new CrosshookError("no").code, "internal");
});

test("options that a call does not have are refused, not ignored", async () => {
  const engine = new Engine({ dialect: "qwen", settings: {} });
  const { signal } = new AbortController();
  await assert.rejects(engine.dispatch(bash("ls"), { sginal: signal }), wrongType(/there is no option `sginal`; it is one of signal/));
  await assert.rejects(engine.dispatch(bash("ls"), { timeout: 5 }), wrongType(/there is no option `timeout`/));
  await assert.rejects(engine.dispatch(bash("ls"), signal), wrongType(/an AbortSignal goes into the options/));
  await assert.rejects(engine.waitBackground({ timeot: 1 }), wrongType(/there is no option `timeot`; it is one of signal, timeout/));
});
