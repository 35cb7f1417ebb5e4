// Functions of the host as hooks, models and agents: what they get, what their answers do, and how they may misbehave.
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine } from "crosshook";
import { bash, qwen, until } from "./helpers.mjs";

const denying = (reason) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason },
});

/** An engine without settings. */
const bare = (options = {}) => new Engine({ dialect: "qwen", settings: {}, ...options });

/** Settings with one prompt or agent hook. */
const asking = (type, more = {}) => ({
  dialect: "codebuddy",
  settings: { hooks: { PreToolUse: [{ hooks: [{ type, prompt: "May it?", timeout: 5, ...more }] }] } },
});

/** Both ways to dispatch, for functions that answer at once. */
const ways = {
  dispatch: (engine, event) => engine.dispatch(event),
  dispatchSync: async (engine, event) => engine.dispatchSync(event),
};

/** Asserts that the only hook failed for this reason, that it decided nothing, and that a diagnostic says so. */
function failed(outcome, why, status = "error", kind = status) {
  assert.equal(outcome.decision, "none");
  const [hook] = outcome.hooks;
  assert.equal(outcome.hooks.length, 1);
  assert.equal(hook.status, status);
  assert.match(hook.error, why);
  assert.equal(hook.decision, "none");
  const codes = { error: "host_failed", timeout: "hook_timeout", missing: "hook_type_unavailable" };
  const said = outcome.diagnostics.filter(({ level, code }) => level === "error" && code === codes[kind]);
  assert.equal(said.length, 1);
  assert.match(said[0].message, why);
}

for (const [way, call] of Object.entries(ways)) {
  test(`a function hook: input, answer, report, removal (${way})`, async () => {
    const engine = bare();
    const seen = [];
    const remove = engine.hook("PreToolUse", { matcher: "Bash", name: "guard", statusMessage: "Looking" }, (input, context) => {
      seen.push(input);
      assert.equal(context.signal.aborted, false);
      return input.tool_input.command === "rm" ? denying("not that") : undefined;
    });
    assert.equal(typeof remove.id, "string");
    assert.deepEqual(remove.diagnostics, []);
    const denied = await call(engine, { ...bash("rm"), session_id: "s1", mine: [1, { a: null }] });
    assert.deepEqual([denied.decision, denied.reason], ["deny", "not that"]);
    const [report] = denied.hooks;
    assert.deepEqual([report.type, report.label, report.status, report.id], ["function", "guard", "blocked", remove.id]);
    assert.equal(seen[0].hook_event_name, "PreToolUse");
    assert.equal(seen[0].session_id, "s1");
    assert.deepEqual(seen[0].mine, [1, { a: null }]);
    const silent = await call(engine, bash("ls"));
    assert.deepEqual([silent.decision, silent.hooks[0].status, silent.diagnostics], ["none", "ok", []]);
    await call(engine, { ...bash("rm"), tool_name: "Write" });
    assert.equal(seen.length, 2);
    const [listed] = engine.list();
    assert.deepEqual([listed.type, listed.matcher, listed.status_message], ["function", "Bash", "Looking"]);
    assert.equal(remove(), true);
    assert.equal(remove(), false);
    assert.equal((await call(engine, bash("rm"))).decision, "none");
    assert.equal(seen.length, 2);
  });

  test(`text counts as what a command prints, an object as its JSON (${way})`, async () => {
    const engine = bare();
    const answers = [
      [JSON.stringify(denying("text")), "deny", "text"],
      [denying("object \ud83d"), "deny", "object \ufffd"],
      [Object.assign(Object.create({ inherited: 1 }), denying("an instance")), "deny", "an instance"],
      [{ toJSON: () => denying("toJSON") }, "deny", "toJSON"],
      ["", "none", null],
      [null, "none", null],
      [{}, "none", null],
    ];
    let next;
    engine.hook("PreToolUse", () => next);
    for (const [answer, decision, reason] of answers) {
      next = answer;
      const outcome = await call(engine, bash("ls"));
      assert.deepEqual([outcome.decision, outcome.reason], [decision, reason]);
      assert.notEqual(outcome.hooks[0].status, "error");
    }
  });

  test(`what is no answer fails the hook, and says why (${way})`, async () => {
    const cycle = {};
    cycle.self = cycle;
    const hostile = new Proxy({}, { get() { throw new Error("trap"); } });
    const cases = [
      [() => { throw new Error("boom"); }, /it threw Error: boom/],
      [() => { throw new RangeError("far"); }, /it threw RangeError: far/],
      [() => { throw "a string"; }, /it threw 'a string'/],
      [() => { throw undefined; }, /it threw undefined/],
      [() => { throw hostile; }, /it threw /],
      [() => { throw Object.assign(new Error(), { get message() { throw 1; } }); }, /it threw /],
      [() => { throw new Error("x".repeat(1e6)); }, /it threw Error: x{100,2000}\.\.\./],
      [() => 7, /it gave a number instead of an object or text/],
      [() => 7n, /it gave a bigint/],
      [() => Symbol("s"), /it gave a symbol/],
      [() => () => {}, /it gave a function/],
      [() => [], /it gave an array/],
      [() => new Error("returned"), /it gave an error \(Error: returned\)/],
      [() => new Map(), /it gave a Map/],
      [() => new Set(), /it gave a Set/],
      [() => Buffer.from("{}"), /it gave bytes/],
      [() => cycle, /cannot be written as JSON: TypeError: Converting circular/],
      [() => ({ n: 1n }), /cannot be written as JSON: TypeError: .*BigInt/],
      [() => ({ toJSON() { throw new Error("late"); } }), /cannot be written as JSON: Error: late/],
      [() => new Date(0), /its answer is no JSON object/],
      [() => ({ toJSON: () => undefined }), /its answer is no JSON object/],
      [() => hostile, /it threw Error: trap|cannot be written as JSON: Error: trap/],
    ];
    for (const [run, why] of cases) {
      const engine = bare();
      engine.hook("PreToolUse", run);
      failed(await call(engine, bash("ls")), why);
    }
  });

  test(`fail mode closed: a function that throws denies (${way})`, async () => {
    const engine = bare();
    engine.hook("PreToolUse", { failMode: "closed", name: "mine" }, () => { throw new Error("boom"); });
    const outcome = await call(engine, bash("ls"));
    assert.equal(outcome.decision, "deny");
    assert.match(outcome.reason, /mine.*it threw Error: boom.*closed/);
    assert.equal(outcome.hooks[0].status, "error");
  });

  test(`a model and an agent answer prompt and agent hooks (${way})`, async () => {
    const requests = [];
    const reply = (answers) => (request) => {
      requests.push(request);
      return answers.shift();
    };
    const model = reply([{ ok: false, reason: "as object" }, '{"ok": false, "reason": "as text"}', { ok: true }]);
    const engine = new Engine({ ...asking("prompt", { model: "small" }), model });
    for (const [decision, reason] of [["deny", /as object/], ["deny", /as text/], ["none", null]]) {
      const outcome = await call(engine, bash("ls"));
      assert.equal(outcome.decision, decision);
      if (reason) assert.match(outcome.reason, reason);
    }
    const [request] = requests;
    assert.deepEqual(
      [request.kind, request.model, request.timeout_ms, request.function, request.agent_type],
      ["prompt", "small", 5000, null, null],
    );
    assert.equal(typeof request.id, "number");
    assert.equal(typeof request.system, "string");
    assert.match(request.prompt, /^May it\?/);
    assert.equal(request.event.tool_name, "Bash");

    const agent = reply([{ ok: false, reason: "the agent says no" }]);
    const outcome = await call(new Engine({ ...asking("agent"), agent }), bash("ls"));
    assert.deepEqual([outcome.decision, requests.at(-1).kind], ["deny", "agent"]);
  });

  test(`what a boolean means is for the dialect to say (${way})`, async () => {
    const says = (dialect, value, options = {}) => {
      const engine = bare({ dialect });
      engine.hook("PreToolUse", options, () => value);
      return call(engine, bash("ls"));
    };
    const goes = await says("qwen", true);
    assert.deepEqual([goes.decision, goes.hooks[0].status, goes.diagnostics], ["none", "ok", []]);
    for (const [options, reason] of [[{}, "Blocked by function hook"], [{ errorMessage: "not this" }, "not this"]]) {
      const blocks = await says("qwen", false, options);
      assert.deepEqual([blocks.decision, blocks.reason, blocks.hooks[0].status], ["deny", reason, "blocked"]);
    }
    for (const value of [true, false]) {
      failed(await says("codebuddy", value), new RegExp(`it answered \`${value}\`, which means nothing to CodeBuddy`));
    }
  });

  test(`a model that gives nothing, and no model at all (${way})`, async () => {
    const gives = (value) => new Engine({ ...asking("prompt"), model: () => value });
    failed(await call(gives(undefined), bash("ls")), /it gave undefined instead of an answer/);
    failed(await call(gives(null), bash("ls")), /it gave null instead of an answer/);
    failed(await call(gives(7), bash("ls")), /it gave a number/);
    failed(await call(new Engine({ ...asking("prompt"), agent: () => "" }), bash("ls")), /made without `model`/, "error", "missing");
    failed(await call(new Engine({ ...asking("agent"), model: () => "" }), bash("ls")), /made without `agent`/, "error", "missing");
  });

  test(`a function may call the engine again (${way})`, async () => {
    const engine = new Engine(qwen("Stop", "echo held >&2; exit 2"));
    const inner = [];
    engine.hook("PreToolUse", () => {
      const { decision, reason } = engine.dispatchSync({ hook_event_name: "Stop" });
      inner.push([decision, reason.trim()]);
      inner.push(engine.list().length, engine.explain(bash("ls")).length);
      const remove = engine.hook("PreToolUse", () => denying("too late for this one"));
      engine.reload();
      inner.push(remove());
      engine.dispatch({ hook_event_name: "Stop" }).then((outcome) => inner.push(outcome.decision));
      return denying("outer");
    });
    const outcome = await call(engine, bash("ls"));
    assert.deepEqual([outcome.decision, outcome.reason], ["deny", "outer"]);
    await until(() => inner.length === 5, "the inner dispatch");
    assert.deepEqual(inner, [["block", "held"], 2, 2, true, "block"]);
  });

  test(`a function that nests fifty dispatches (${way})`, async () => {
    const engine = bare();
    let depth = 0;
    engine.hook("PreToolUse", () => (++depth < 50 ? engine.dispatchSync(bash("ls")) && undefined : denying("deep")));
    const outcome = await call(engine, bash("ls"));
    assert.equal(depth, 50);
    assert.equal(outcome.decision, "none");
  });

  test(`functions beside commands (${way})`, async () => {
    const engine = new Engine(qwen("PreToolUse", "sleep 0.2; echo by-command >&2; exit 2"));
    engine.hook("PreToolUse", () => ({ systemMessage: "by function" }));
    const outcome = await call(engine, bash("ls"));
    assert.deepEqual([outcome.decision, outcome.reason.trim(), outcome.system_messages], ["deny", "by-command", ["by function"]]);
  });
}

test("async functions are awaited, side by side", async () => {
  const engine = bare();
  for (const n of [1, 2, 3]) {
    engine.hook("PreToolUse", async () => {
      await sleep(100);
      return { systemMessage: `message ${n}` };
    });
  }
  engine.hook("PreToolUse", () => ({ then: (resolve) => resolve(denying("a thenable")) }));
  const start = performance.now();
  const outcome = await engine.dispatch(bash("ls"));
  assert.ok(performance.now() - start < 290, "they ran one after the other");
  assert.deepEqual(outcome.system_messages, ["message 1", "message 2", "message 3"]);
  assert.deepEqual([outcome.decision, outcome.reason], ["deny", "a thenable"]);
});

test("a rejected promise", async () => {
  const engine = bare();
  engine.hook("PreToolUse", async () => { throw new Error("boom"); });
  failed(await engine.dispatch(bash("ls")), /it threw Error: boom/);
});

test("a promise that never settles: the time limit ends it, and the signal fires", async () => {
  const engine = bare();
  let reason;
  engine.hook("PreToolUse", { timeout: 60 }, (_, { signal }) => {
    signal.addEventListener("abort", () => (reason = signal.reason));
    return new Promise(() => {});
  });
  const start = performance.now();
  const outcome = await engine.dispatch(bash("ls"));
  const ms = performance.now() - start;
  assert.ok(ms >= 59 && ms < 2000, `took ${ms} ms`);
  failed(outcome, /did not finish within 60ms/, "timeout");
  assert.equal(reason.name, "AbortError");
  assert.match(reason.message, /no longer wanted/);
});

test("an answer after the time limit changes nothing", async () => {
  const engine = bare();
  let late;
  engine.hook("PreToolUse", { timeout: 20 }, (_, context) => {
    late = sleep(80).then(() => [context.signal.aborted, denying("late")][1]);
    return late;
  });
  failed(await engine.dispatch(bash("ls")), /did not finish within 20ms/, "timeout");
  await late;
  assert.equal((await engine.dispatch({ ...bash("ls"), hook_event_name: "PostToolUse" })).decision, "none");
});

test("a signal that is looked at only after it fired", async () => {
  const engine = bare();
  let seen;
  engine.hook("PreToolUse", { timeout: 20 }, async (_, context) => {
    await sleep(80);
    seen = context.signal.aborted;
  });
  await engine.dispatch(bash("ls"));
  await until(() => seen !== undefined, "the function");
  assert.equal(seen, true);
});

test("a synchronous function that blocks the loop for longer than its limit", async () => {
  const engine = bare();
  const block = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  engine.hook("PreToolUse", { timeout: 30 }, () => (block(150), denying("late")));
  failed(await engine.dispatch(bash("ls")), /did not finish within 30ms/, "timeout");
  failed(engine.dispatchSync(bash("ls")), /did not finish within 30ms/, "timeout");
});

test("an async function in dispatchSync fails with a clear reason, and leaves no unhandled rejection", async () => {
  const engine = bare();
  let aborted;
  engine.hook("PreToolUse", async (_, { signal }) => {
    await sleep(1);
    aborted = signal.aborted;
    throw new Error("nobody hears this");
  });
  failed(engine.dispatchSync(bash("ls")), /async function in dispatchSync: the thread is blocked/);
  await until(() => aborted !== undefined, "the function");
  assert.equal(aborted, true);
  failed(new Engine({ ...asking("prompt"), model: async () => "{}" }).dispatchSync(bash("ls")), /async function in dispatchSync/);
  await sleep(10);
});

test("dispatch inside a dispatchSync may await", async () => {
  const engine = bare();
  let inner;
  engine.hook("PreToolUse", { matcher: "Bash" }, () => {
    inner = engine.dispatch({ ...bash("ls"), tool_name: "Write" });
  });
  engine.hook("PreToolUse", { matcher: "Write" }, async () => (await sleep(5), denying("awaited")));
  assert.equal(engine.dispatchSync(bash("ls")).hooks[0].status, "ok");
  assert.equal((await inner).reason, "awaited");
});

test("an abort fires the signal of the function and reports the hook as cancelled", async () => {
  const engine = bare();
  const controller = new AbortController();
  let fired = false;
  engine.hook("PreToolUse", (_, { signal }) => {
    signal.addEventListener("abort", () => (fired = true));
    setImmediate(() => controller.abort("enough"));
    return new Promise(() => {});
  });
  const error = await engine.dispatch(bash("ls"), { signal: controller.signal }).catch((error) => error);
  assert.deepEqual([error.code, error.cause, fired], ["cancelled", "enough", true]);
  assert.deepEqual(error.outcome.hooks.map(({ status }) => status), ["cancelled"]);
});

test("closing the engine with a pending function, from outside and from inside", async () => {
  for (const inside of [false, true]) {
    const engine = bare();
    let fired = false;
    let closing;
    engine.hook("PreToolUse", (_, { signal }) => {
      signal.addEventListener("abort", () => (fired = true));
      if (inside) closing = engine.close();
      return new Promise(() => {});
    });
    const pending = engine.dispatch(bash("ls")).catch((error) => error);
    if (!inside) await sleep(20);
    if (!inside) closing = engine.close();
    const error = await pending;
    await closing;
    assert.deepEqual([error.code, fired], ["closed", true]);
    assert.equal(error.outcome.hooks[0].status, "cancelled");
  }
});

test("closing the engine inside a dispatchSync", () => {
  const engine = bare();
  engine.hook("PreToolUse", () => (engine.close(), denying("and closed")));
  assert.equal(engine.dispatchSync(bash("ls")).reason, "and closed");
  assert.throws(() => engine.dispatchSync(bash("ls")), { code: "closed" });
});

test("a dispatch in flight finishes with a function that was removed meanwhile", async () => {
  const engine = new Engine(qwen("PreToolUse", "sleep 0.2"));
  const first = engine.hook("PreToolUse", async () => (await sleep(50), denying("still there")));
  const pending = engine.dispatch(bash("ls"));
  assert.equal(first(), true);
  assert.equal((await pending).reason, "still there");
  assert.equal((await engine.dispatch(bash("ls"))).decision, "none");
});

test("a thousand calls at once each get their own answer", async () => {
  const engine = bare();
  engine.hook("PreToolUse", async ({ tool_input }) => {
    await sleep(Math.random() * 20);
    return { systemMessage: tool_input.command };
  });
  const outcomes = await Promise.all(Array.from({ length: 1000 }, (_, n) => engine.dispatch(bash(`command ${n}`))));
  assert.deepEqual(outcomes.map(({ system_messages }) => system_messages[0]), outcomes.map((_, n) => `command ${n}`));
});
