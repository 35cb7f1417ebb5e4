// A tour of what hooks can do beyond one command for one event: one function for each feature, to copy from.
// Run it with `node bindings-node/examples/tour.mjs`. It checks what it shows, and ends with an error if that is wrong.
import assert from "node:assert/strict";
import { once as emitted } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine } from "crosshook";

const call = { hook_event_name: "PreToolUse", session_id: "tour", tool_name: "Bash", tool_input: { command: "ls" } };
const stopping = { hook_event_name: "Stop", session_id: "tour" };

/** An engine with one hook for one event. Settings that are given here keep it from looking for files. */
const engineWith = (dialect, event, hook, more = {}) =>
  new Engine({ dialect, settings: { hooks: { [event]: [{ hooks: [hook] }] } }, ...more });

/** What a hook of `event` prints, or answers. */
const says = (event, output) => ({ hookSpecificOutput: { hookEventName: event, ...output } });
const deny = (reason) => says("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: reason });

/** A command that prints `value` as JSON. */
const print = (value) => `printf '%s' '${JSON.stringify(value)}'`;

/** The lines of a file, when it has `count` of them. */
async function lines(file, count) {
  for (const end = Date.now() + 10_000; Date.now() < end; await sleep(20)) {
    const found = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    if (found.length >= count) return found;
  }
  throw new Error(`waited in vain for line ${count} of ${file}`);
}

// An HTTP hook: the engine posts the event to a URL, and the body of the response is the answer, in the form in which a
// command would print it.
async function http(url) {
  const engine = engineWith("qwen", "PreToolUse", { type: "http", url });
  const { decision, reason } = await engine.dispatch(call);
  assert.equal(decision, "deny", "http: the decision");
  assert.equal(reason, "no network today", "http: the reason");
  console.log(`http: ${decision}, ${reason}`);
}

// A prompt hook asks a model, which is a function of the host: hand `prompt` and `system` to your model, and give back
// its text as it came. `$ARGUMENTS` in the hook's prompt becomes the event.
async function prompt() {
  let asked;
  const model = async (request) => {
    asked = request;
    return '{"ok":false,"reason":"too risky"}';
  };
  const hook = { type: "prompt", prompt: "May it run? $ARGUMENTS" };
  const { decision, reason } = await engineWith("codebuddy", "PreToolUse", hook, { model }).dispatch(call);
  assert.match(asked.prompt, /^May it run\? \{.*"ls"/s, "prompt: what the model is asked");
  assert.match(asked.system, /"ok"/, "prompt: what the model is told about its answer");
  assert.equal(decision, "deny", "prompt: the decision");
  assert.equal(reason, "too risky", "prompt: the reason");
  console.log(`prompt: ${decision}, ${reason}`);
}

// An agent hook gives a task to an agent of the host. The verdict may be an object, too. `signal` fires when nobody
// waits for it any more: hand it on.
async function agent() {
  let asked;
  const review = async (request, { signal }) => {
    asked = { ...request, aborted: signal.aborted };
    return { ok: false, reason: "not reviewed" };
  };
  const hook = { type: "agent", prompt: "Review it" };
  const { decision, reason } = await engineWith("codebuddy", "PreToolUse", hook, { agent: review }).dispatch(call);
  assert.match(asked.prompt, /^Review it/, "agent: the task");
  assert.equal(asked.aborted, false, "agent: the signal");
  assert.equal(decision, "deny", "agent: the decision");
  assert.equal(reason, "not reviewed", "agent: the reason");
  console.log(`agent: ${decision}, ${reason}`);
}

// A function of the host as a hook: no process, no settings. It answers with what a command would print; calling what
// `hook` returned removes it.
async function hostFunction() {
  const engine = new Engine({ dialect: "qwen", settings: {} });
  const remove = engine.hook("PreToolUse", { matcher: "Bash" }, async ({ tool_input }) => {
    if (tool_input.command === "ls") return deny("not on Fridays");
  });
  const { decision, reason } = await engine.dispatch(call);
  assert.equal(decision, "deny", "function: the decision");
  assert.equal(reason, "not on Fridays", "function: the reason");
  assert.equal(remove(), true, "function: it was there");
  assert.equal((await engine.dispatch(call)).decision, "none", "function: the decision without it");
  console.log(`function: ${decision}, ${reason}`);
}

// A background hook decides nothing and outlives its event. What it says can be taken later, for the agent's next turn.
async function background() {
  const words = says("PostToolUse", { additionalContext: "late context from the background" });
  const hook = { type: "command", command: `sleep 0.3; ${print(words)}`, async: true };
  const engine = engineWith("codebuddy", "PostToolUse", hook);
  const outcome = await engine.dispatch({ ...call, hook_event_name: "PostToolUse", tool_response: "a.txt" });
  assert.equal(outcome.hooks[0].status, "background", "background: the hook's status");
  const running = engine.background().length;
  assert.equal(running, 1, "background: how many run");
  assert.equal(await engine.waitBackground({ timeout: 10_000 }), true, "background: all are done in time");
  const late = engine.takeLateResults();
  assert.equal(late.length, 1, "background: the late results");
  assert.equal(late[0].additional_context, "late context from the background", "background: the late context");
  console.log(`background: ${running} running, done, ${late[0].additional_context}`);
}

// A hook that runs once a session (in Qwen Code's settings an HTTP hook may ask for that) is skipped after its first
// run until the session ends; it still stands in the outcome.
async function once(url) {
  const engine = engineWith("qwen", "PreToolUse", { type: "http", url, once: true });
  const ran = async () => (await engine.dispatch(call)).hooks.map(({ status }) => status !== "skipped");
  const first = await ran();
  assert.deepEqual(first, [true], "once: the first dispatch");
  const second = await ran();
  assert.deepEqual(second, [false], "once: the second dispatch");
  assert.equal(engine.endSession("tour"), true, "once: the session was known");
  assert.deepEqual(await ran(), [true], "once: after the end of the session");
  const count = (list) => list.filter(Boolean).length;
  console.log(`once: ${count(first)}, then ${count(second)} of ${second.length} hooks ran`);
}

// A Stop hook that always blocks would keep the agent going forever. The engine counts in each session: after as many
// blocks as the dialect allows (7 here) it lets one stop through, says so in a diagnostic, and counts anew.
async function stop() {
  const engine = engineWith("qwen", "Stop", { type: "command", command: "echo 'go on' >&2; exit 2" });
  const stopped = [];
  for (let turn = 1; turn <= 9; turn++) {
    const { decision, diagnostics } = await engine.dispatch(stopping);
    if (decision === "block") continue;
    stopped.push(turn);
    assert.equal(diagnostics[0]?.code, "stop_cap_reached", "stop: why it was let through");
  }
  assert.deepEqual(stopped, [8], "stop: the turns that could stop");
  console.log(`stop: block ${9 - stopped.length} of 9 times`);
}

// A goal keeps a session's agent going until the model says that it is met. It can be saved, and restored in another
// engine when the session is resumed.
async function goal() {
  const judged = (verdict) => new Engine({ dialect: "codebuddy", settings: {}, model: () => verdict });
  const engine = judged({ ok: false, reason: "tests fail" });
  engine.setGoal("tour", "all tests pass");
  const { decision, reason } = await engine.dispatch(stopping);
  assert.equal(decision, "block", "goal: the decision while it is not met");
  assert.match(reason, /tests fail/, "goal: the reason");
  const saved = JSON.stringify(engine.goal("tour"));

  const later = judged({ ok: true });
  later.restoreGoal("tour", saved);
  assert.equal((await later.dispatch(stopping)).decision, "none", "goal: the decision when it is met");
  const { status } = later.goal("tour");
  assert.equal(status, "met", "goal: its status");
  console.log(`goal: ${decision} until ${status}, restored`);
}

// A reply is streamed to MessageDisplay hooks while it is shown. Each delivery has the whole text so far; what is
// pushed while a hook is busy waits for the next one; the finished text is always delivered.
async function display(folder) {
  const file = join(folder, "shown");
  const command = `(cat; echo) >> '${file}'; until [ -e '${file}.seen' ]; do sleep 0.05; done`;
  const engine = engineWith("qwen", "MessageDisplay", { type: "command", command });
  const message = engine.messageDisplay({ session_id: "tour" });
  message.push("Hello, ");
  await lines(file, 1);
  message.push("world");
  const finished = message.finish({ timeout: 20_000 });
  const texts = (await lines(file, 2)).map((line) => JSON.parse(line).displayed_text);
  writeFileSync(`${file}.seen`, ""); // Until now the first hook was busy.
  assert.equal(await finished, true, "display: the hooks are done");
  assert.deepEqual(texts, ["Hello, ", "Hello, world"], "display: the texts");
  console.log(`display: ${(await lines(file, 2)).length} deliveries, the last with all of the text`);
}

// `renderContext` makes of an outcome the text that the dialect's agent hands to its model: the hooks' words joined and
// wrapped. Qwen Code escapes angle brackets, and they are escaped in the outcome already.
async function context() {
  const words = says("UserPromptSubmit", { additionalContext: "mind the <gap>" });
  const engine = engineWith("qwen", "UserPromptSubmit", { type: "command", command: print(words) });
  const outcome = await engine.dispatch({ hook_event_name: "UserPromptSubmit", session_id: "tour", prompt: "hello" });
  assert.deepEqual(outcome.additional_context, ["mind the &lt;gap&gt;"], "context: the hook's words");
  const text = engine.renderContext(outcome);
  assert.ok(text.includes("mind the &lt;gap&gt;"), "context: the text for the model");
  console.log("context: the model's text holds the hook's words");
}

// An `AbortSignal` ends a dispatch and its hooks. The promise rejects; the error's `outcome` reports how far they got.
async function cancel() {
  const engine = engineWith("qwen", "PreToolUse", { type: "command", command: "sleep 30" });
  const controller = new AbortController();
  const dispatch = engine.dispatch(call, { signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  const error = await dispatch.then(() => assert.fail("cancel: it was not cancelled"), (error) => error);
  assert.equal(error.name, "AbortError", "cancel: the error's name");
  const { status } = error.outcome.hooks[0];
  assert.equal(status, "cancelled", "cancel: the hook's status");
  console.log(`cancel: ${status}`);
}

// A listener hears what happens in dispatches, for progress lines and logs: all of it before the promise resolves.
async function watch() {
  const engine = engineWith("qwen", "PreToolUse", { type: "command", command: "exit 0" });
  const counts = { started: 0, finished: 0 };
  const unwatch = engine.watch(({ type }) => {
    if (type in counts) counts[type] += 1;
  });
  await engine.dispatch(call);
  assert.equal(unwatch(), true, "watch: it was on");
  assert.deepEqual(counts, { started: 1, finished: 1 }, "watch: the notices");
  console.log(`watch: ${Object.keys(counts).join(", ")}`);
}

const folder = mkdtempSync(join(tmpdir(), "crosshook-tour-"));
const server = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "application/json").end(JSON.stringify(deny("no network today")));
});
try {
  await emitted(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${server.address().port}/`;
  await http(url);
  await prompt();
  await agent();
  await hostFunction();
  await background();
  await once(url);
  await stop();
  await goal();
  await display(folder);
  await context();
  await cancel();
  await watch();
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
