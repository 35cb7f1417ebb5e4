// Events that fire no hook: an object is not written as JSON then, and the outcome is the same as if it were.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { CrosshookError, Engine } from "crosshook";
import { bash, packageRoot, tempDir } from "./helpers.mjs";

const folder = join(packageRoot, "..", "tests", "vectors");
const without = (event, key) => Object.fromEntries(Object.entries(event).filter(([name]) => name !== key));
const camelCased = (event) =>
  Object.fromEntries(Object.entries(event).map(([key, value]) => [key.replace(/_./g, (two) => two[1].toUpperCase()), value]));

/** Events near this one, most of which fire no hook. */
const otherForms = (event) => [
  event,
  camelCased(event),
  { ...event, tool_name: "no_such_tool" },
  { ...event, tool_name: null },
  { ...event, tool_name: undefined },
  { ...event, tool_name: 7 },
  { ...event, tool_name: "x\ud800" },
  without(event, "tool_name"),
  { ...event, hook_event_name: "NoSuchEvent" },
  { ...event, hook_event_name: "Stop", stop_hook_active: false },
];

test("every vector both ways", async (t) => {
  let alike = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
    for (const line of readFileSync(join(folder, file), "utf8").split("\n").filter((line) => line.trim() !== "")) {
      const tmp = tempDir(t);
      const { dialect, sources, trusted = true, event } = JSON.parse(line.replaceAll("{{TMP}}", tmp));
      const settings = sources.filter(({ scope }) => scope !== "plugin");
      const options = { dialect, settings, trusted, home: tmp, projectDir: tmp, discover: false };
      const [byObject, byText] = [new Engine(options), new Engine(options)];
      for (const form of otherForms(event)) {
        const text = JSON.stringify(form);
        if (byText.explain(text).some(({ runs }) => runs)) continue;
        const outcome = alike % 2 ? byObject.dispatchSync(form) : await byObject.dispatch(form);
        const whole = byText.dispatchSync(text);
        assert.equal(JSON.stringify(outcome), whole);
        alike += 1;
      }
    }
  }
  assert.ok(alike > 1000, String(alike));
});

const hook = { type: "command", command: "echo no >&2; exit 2" };
const guarded = () =>
  new Engine({ dialect: "codebuddy", settings: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } } });
const read = { ...bash("ls"), tool_name: "Read" };

class OwnJson {
  hook_event_name = "PreToolUse";
  tool_name = "Read";
  toJSON() {
    return bash("ls");
  }
}

class Getters {
  hook_event_name = "PreToolUse";
  get tool_name() {
    return "Read";
  }
}

test("no form of an object hides from its hook", async () => {
  const engine = guarded();
  const computed = { hook_event_name: "PreToolUse", get tool_name() { return "Bash"; } };
  const forms = [
    bash("ls"),
    Object.assign(Object.create(null), bash("ls")),
    { ...without(bash("ls"), "tool_name"), toolName: "Bash" },
    { ...read, toJSON: () => bash("ls") },
    new OwnJson(),
    computed,
    { ...read, tool_name: new String("Bash") },
    new Proxy(read, { get: (target, key) => (key === "tool_name" ? "Bash" : target[key]) }),
    Object.assign(Object.create({ tool_name: "Read" }), bash("ls")),
  ];
  for (const [index, event] of forms.entries()) {
    assert.equal((await engine.dispatch(event)).decision, "deny", `form ${index}`);
    assert.equal(engine.dispatchSync(event).reason, "no", `form ${index}`);
  }
});

test("what JSON would not hold is not there", async () => {
  const engine = guarded();
  const inherited = Object.assign(Object.create({ tool_name: "Bash" }), without(read, "tool_name"));
  for (const event of [new Getters(), inherited, { ...read, tool_name: undefined }]) {
    const { decision, diagnostics } = await engine.dispatch(event);
    assert.equal(decision, "none");
    assert.deepEqual(diagnostics.map(({ code }) => code), ["event_field"]);
  }
});

test("a value that no hook reads is not looked at", async () => {
  const engine = guarded();
  const cycle = { ...read };
  cycle.tool_input = cycle;
  for (const odd of [cycle, { ...read, n: 1n }, { ...read, get n() { throw new Error("late"); } }]) {
    assert.equal((await engine.dispatch(odd)).decision, "none");
    assert.equal(engine.dispatchSync(odd).decision, "none");
    const selected = Object.defineProperty(odd, "tool_name", { value: "Bash" });
    await assert.rejects(engine.dispatch(selected));
    assert.throws(() => engine.dispatchSync(selected));
    assert.throws(() => engine.explain(odd));
  }
});

test("what the selection reads is checked", async () => {
  const engine = guarded();
  const throwing = { hook_event_name: "PreToolUse", get tool_name() { throw new RangeError("mine"); } };
  await assert.rejects(engine.dispatch(throwing), RangeError);
  assert.throws(() => engine.dispatchSync(throwing), RangeError);
  assert.throws(() => engine.dispatchSync({ ...read, tool_name: 1n }), TypeError);
  for (const event of [{}, { hook_event_name: 7 }, { hook_event_name: "" }, { hook_event_name: null }]) {
    await assert.rejects(engine.dispatch(event), (error) => error instanceof CrosshookError && error.code === "invalid_event");
  }
});

test("a getter may use the engine", () => {
  const engine = guarded();
  const inner = [];
  const event = { hook_event_name: "PreToolUse", get tool_name() { inner.push(engine.dispatchSync(bash("ls")).decision); return "Read"; } };
  assert.equal(engine.dispatchSync(event).decision, "none");
  assert.deepEqual([...new Set(inner)], ["deny"]);
});

test("each outcome is the caller's own", async () => {
  const engine = guarded();
  const first = await engine.dispatch(read);
  for (const value of Object.values(first)) if (Array.isArray(value)) value.push("x");
  first.extra.x = 1;
  first.decision = "deny";
  const second = engine.dispatchSync(read);
  assert.equal(JSON.stringify(second), engine.dispatchSync(JSON.stringify(read)));
  assert.equal(second.decision, "none");
  assert.deepEqual(second.extra, {});
});

test("what is known of an event is forgotten when the engine changes", async () => {
  const engine = guarded();
  const decide = async (event) => [(await engine.dispatch(event)).decision, engine.dispatchSync(event).decision];
  const silent = ["none", "none"];
  const camel = camelCased(read);
  for (let round = 0; round < 3; round += 1) {
    assert.deepEqual(await decide(read), silent);
    assert.deepEqual(await decide(camel), silent);
    assert.deepEqual(await decide({ ...read, hook_event_name: "PostToolUse" }), silent);
    assert.deepEqual(await decide({ ...read, hook_event_name: "Stop" }), silent);
    const settings = { hooks: { PreToolUse: [{ matcher: "Read", hooks: [hook] }], Stop: [{ hooks: [hook] }] } };
    const { id } = engine.register("s-1", settings);
    assert.deepEqual(await decide(read), silent);
    assert.deepEqual(await decide({ ...read, session_id: "s-1" }), ["deny", "deny"]);
    assert.deepEqual(await decide({ ...camel, sessionId: "s-1" }), ["deny", "deny"]);
    assert.deepEqual(await decide({ ...read, hook_event_name: "Stop", session_id: "s-1" }), ["block", "block"]);
    engine.unregister(id);
    const remove = engine.hook("PostToolUse", { matcher: "Read" }, () => ({ decision: "block", reason: "no" }));
    assert.equal(engine.dispatchSync({ ...read, hook_event_name: "PostToolUse" }).decision, "block");
    remove();
  }
  assert.deepEqual(await decide({ ...read, tool_name: "Bash" }), ["deny", "deny"]);
  assert.deepEqual(await decide({ ...camel, toolName: "Bash" }), ["deny", "deny"]);
  assert.deepEqual(await decide({ ...read, tool_name: undefined, toolName: "Bash" }), ["deny", "deny"]);
  assert.deepEqual(await decide({ ...read, tool_name: "Read", toolName: "Bash" }), silent);
});

test("a closed engine, an aborted signal", async () => {
  const engine = guarded();
  await assert.rejects(engine.dispatch(read, { signal: AbortSignal.abort() }), { code: "cancelled" });
  await engine.close();
  await assert.rejects(engine.dispatch(read), { code: "closed" });
  assert.throws(() => engine.dispatchSync(read), { code: "closed" });
});

test("listeners hear of it first", async () => {
  const engine = guarded();
  const order = [];
  engine.watch((notice) => order.push(notice.type));
  await engine.dispatch({ ...read, hook_event_name: "Nope" }).then(() => order.push("outcome"));
  assert.deepEqual(order, ["diagnostic", "outcome"]);
});
