// What goes on while hooks run, and after their event is over: listeners and background hooks.
import assert from "node:assert/strict";
import test from "node:test";
import { join } from "node:path";
import { existsSync } from "node:fs";
import { CrosshookError, Engine } from "crosshook";
import { bash, denial, gone, longHook, node, pidsIn, qwen, tempDir, until } from "./helpers.mjs";

/** Options of an engine with one hook in the background, in a dialect that delivers what it says late. */
function background(command, more = {}) {
  const options = { ...qwen("PostToolUse", command), dialect: "codebuddy" };
  Object.assign(options.settings.hooks.PostToolUse[0].hooks[0], { async: true, ...more });
  return options;
}

const after = { ...bash("ls"), hook_event_name: "PostToolUse", tool_response: {} };
const brief = ({ type, hook, status, diagnostic }) => [type, hook?.label ?? diagnostic.code, status];

test("a listener hears a dispatch in order, all of it before the outcome", async () => {
  const engine = new Engine(qwen("PreToolUse", denial("no"), "exit 7"));
  engine.list();
  const heard = [];
  const stop = engine.watch((notice) => heard.push(notice));
  for (let round = 0; round < 20; round++) {
    heard.length = 0;
    const outcome = await engine.dispatch(bash("ls"));
    assert.equal(outcome.decision, "deny");
    const all = [...heard];
    assert.equal(all.length, 4 + outcome.diagnostics.length);
    for (const label of [denial("no"), "exit 7"]) {
      const own = all.filter(({ hook }) => hook?.label === label).map(({ type }) => type);
      assert.deepEqual(own, ["started", "finished"]);
    }
    assert.deepEqual(new Set(all.map(({ dispatch }) => dispatch)).size, 1);
    const finished = all.find(({ type, hook }) => type === "finished" && hook.label === "exit 7");
    assert.deepEqual(
      Object.keys(finished),
      ["type", "dispatch", "event", "hook", "status", "decision", "duration_ms"],
    );
    assert.deepEqual([finished.event, finished.status, finished.decision], ["PreToolUse", "error", "none"]);
    assert.deepEqual(Object.keys(finished.hook), ["id", "dialect", "type", "label", "status_message"]);
    assert.equal(all.at(-1).type, "diagnostic");
    assert.deepEqual(all.at(-1).diagnostic, outcome.diagnostics.at(-1));
  }
  heard.length = 0;
  assert.equal(stop(), true);
  assert.equal(stop(), false);
  await engine.dispatch(bash("ls"));
  assert.deepEqual(heard, []);
});

test("during dispatchSync a listener is called at once", () => {
  const engine = new Engine(qwen("PreToolUse", denial("no")));
  const heard = [];
  engine.watch((notice) => heard.push(brief(notice)));
  engine.dispatchSync(bash("ls"));
  assert.deepEqual(heard, [["started", denial("no"), undefined], ["finished", denial("no"), "blocked"]]);
});

test("several listeners, one that stops itself and one that starts another", async () => {
  const engine = new Engine(qwen("PreToolUse", "true"));
  const heard = [];
  const stop = engine.watch(({ type }) => (heard.push(`first ${type}`), stop()));
  const stopAll = [];
  engine.watch(({ type }) => {
    heard.push(`second ${type}`);
    if (type === "started") stopAll.push(engine.watch(({ type }) => heard.push(`third ${type}`)));
  });
  await engine.dispatch(bash("ls"));
  assert.deepEqual(heard.filter((line) => line.startsWith("first")), ["first started"]);
  assert.deepEqual(heard.filter((line) => line.startsWith("second")), ["second started", "second finished"]);
  assert.equal(stopAll.length, 1);
});

test("a listener that throws or rejects changes nothing, and is not unheard", async (t) => {
  const warnings = [];
  const onWarning = (warning) => warnings.push(warning);
  process.on("warning", onWarning);
  t.after(() => process.off("warning", onWarning));
  const engine = new Engine(qwen("PreToolUse", denial("no")));
  const heard = [];
  engine.watch(() => { throw new Error("boom"); });
  engine.watch(async () => { throw new Error("bang"); });
  engine.watch((notice) => heard.push(notice.type));
  assert.equal((await engine.dispatch(bash("ls"))).decision, "deny");
  assert.equal(engine.dispatchSync(bash("ls")).decision, "deny");
  assert.deepEqual(heard, ["started", "finished", "started", "finished"]);
  await until(() => warnings.length === 8, "the warnings");
  assert.deepEqual(new Set(warnings.map(({ name }) => name)), new Set(["CrosshookWarning"]));
  assert.match(warnings.map(({ message }) => message).join(), /engine\.watch\(\) threw Error: boom.*Error: bang/s);
});

test("background hooks: status, listing, notice, late result, waiting", async () => {
  const said = { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "late news" }, systemMessage: "done" };
  const engine = new Engine(background(`sleep 0.3; printf '%s' '${JSON.stringify(said)}'`, { statusMessage: "Indexing" }));
  const heard = [];
  engine.watch((notice) => heard.push(notice));
  const outcome = await engine.dispatch({ ...after, session_id: "s1" });
  assert.deepEqual(outcome.hooks.map(({ status }) => status), ["background"]);
  const [running, ...more] = engine.background();
  assert.deepEqual(more, []);
  assert.deepEqual(Object.keys(running), ["number", "hook", "event", "running_ms"]);
  assert.deepEqual([running.event, running.hook.status_message], ["PostToolUse", "Indexing"]);
  assert.ok(running.running_ms < 5000);
  assert.equal(await engine.waitBackground({ timeout: 10 }), false);
  assert.equal(await engine.waitBackground(), true);
  assert.deepEqual(engine.background(), []);
  await until(() => heard.some(({ type }) => type === "background_finished"), "the notice");
  const end = heard.find(({ type }) => type === "background_finished");
  assert.deepEqual(Object.keys(end), ["type", "dispatch", "event", "hook", "status", "exit_code", "duration_ms"]);
  assert.deepEqual([end.status, end.exit_code, end.event], ["ok", 0, "PostToolUse"]);
  const [late, ...rest] = engine.takeLateResults();
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [late.number, late.session_id, late.status, late.additional_context, late.system_message, late.error],
    [running.number, "s1", "ok", "late news", "done", null],
  );
  assert.deepEqual(engine.takeLateResults(), []);
  assert.equal(await engine.waitBackground(), true);
});

test("background hooks are ended one by one, and all", async (t) => {
  const dir = tempDir(t);
  const engine = new Engine(background(longHook(`${dir}/$(date +%s%N | tail -c 6)`)));
  await engine.dispatch(after);
  const [{ number }] = engine.background();
  assert.equal(engine.cancelBackground(number + 1000), 0);
  assert.equal(engine.cancelBackground(number), 1);
  assert.equal(await engine.waitBackground({ timeout: 5000 }), true);
  await engine.dispatch(after);
  await engine.dispatch(after);
  assert.equal(engine.background().length, 2);
  assert.equal(engine.cancelBackground(), 2);
  assert.equal(await engine.waitBackground({ timeout: 5000 }), true);
});

test("waiting is given up by a signal, and by closing", async () => {
  const engine = new Engine(background("sleep 60"));
  await engine.dispatch(after);
  const reason = new Error("enough");
  const controller = new AbortController();
  const waiting = engine.waitBackground({ signal: controller.signal }).catch((error) => error);
  controller.abort(reason);
  const error = await waiting;
  assert.ok(error instanceof CrosshookError);
  assert.deepEqual([error.name, error.code, error.cause], ["AbortError", "cancelled", reason]);
  await assert.rejects(engine.waitBackground({ signal: AbortSignal.abort() }), { code: "cancelled" });
  const closing = engine.waitBackground().catch((error) => error);
  engine.cancelBackground();
  await engine.close();
  assert.equal((await closing).code, "closed");
});

test("a wait keeps the process alive; a listener and a background hook do not", async (t) => {
  const dir = tempDir(t);
  const prelude = (command) => `
    import { Engine } from "file://$ENTRY";
    const engine = new Engine(${JSON.stringify(background(command))});
    engine.watch(({ type }) => type === "background_finished" && console.log("heard"));
    await engine.dispatch(${JSON.stringify(after)});`;
  const waited = await node(`${prelude("sleep 0.3")} console.log(await engine.waitBackground());`);
  assert.deepEqual([waited.code, waited.stdout.split("\n").filter(Boolean).sort(), waited.stderr], [0, ["heard", "true"], ""]);
  const left = await node(prelude(longHook(join(dir, "pids"))) + `
    import { existsSync } from "node:fs";
    while (!existsSync(${JSON.stringify(join(dir, "pids"))})) await new Promise((resolve) => setTimeout(resolve, 5));`);
  assert.deepEqual([left.code, left.stdout, left.stderr], [0, "", ""]);
  assert.ok(left.ms < 8000, `took ${left.ms} ms`);
  await gone(await pidsIn(join(dir, "pids")), 1000);
  assert.ok(existsSync(join(dir, "pids")));
});
