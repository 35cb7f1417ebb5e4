// Goals, the text for the model, and streamed messages.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CrosshookError, Engine, MessageDisplay } from "crosshook";
import { answer, node, qwen, tempDir, until } from "./helpers.mjs";

const stop = { hook_event_name: "Stop", session_id: "s1" };

test("a goal: not met, met; usage, saving, restoring", async () => {
  const verdicts = [{ ok: false, reason: "two tests fail" }, { ok: true }];
  const prompts = [];
  const model = async ({ prompt }) => (prompts.push(prompt), verdicts.shift());
  const engine = new Engine({ dialect: "codebuddy", settings: {}, model });
  assert.equal(engine.goal("s1"), null);
  engine.setGoal("s1", "all tests pass");
  const fresh = engine.goal("s1");
  assert.deepEqual(
    { ...fresh, set_at: "" },
    { condition: "all tests pass", status: "active", turns: 0, tokens: 0, checks: 0, last_reason: null, set_at: "" },
  );
  assert.ok(Math.abs(Date.parse(fresh.set_at) - Date.now()) < 60_000);
  assert.equal(engine.noteGoalUsage("s1", 3, 4000), true);
  assert.equal(engine.noteGoalUsage("s2", 1, 1), false);
  const first = await engine.dispatch(stop);
  assert.equal(first.decision, "block");
  assert.match(first.reason, /all tests pass.*two tests fail/);
  assert.match(prompts[0], /all tests pass/);
  const saved = engine.goal("s1");
  assert.deepEqual([saved.turns, saved.tokens, saved.checks, saved.last_reason], [3, 4000, 1, "two tests fail"]);
  assert.equal((await engine.dispatch(stop)).decision, "none");
  assert.equal(engine.goal("s1").status, "met");

  for (const form of [saved, JSON.stringify(saved)]) {
    const other = new Engine({ dialect: "codebuddy", settings: {}, model: () => ({ ok: false, impossible: true, reason: "no" }) });
    other.restoreGoal("s9", form);
    assert.deepEqual(other.goal("s9"), saved);
    other.dispatchSync({ ...stop, session_id: "s9" });
    assert.equal(other.goal("s9").status, "impossible");
    assert.equal(other.clearGoal("s9"), true);
    assert.equal(other.clearGoal("s9"), false);
  }
  assert.throws(() => engine.setGoal("s1", "  "), { name: "CrosshookError", code: "invalid_options" });
  assert.throws(() => engine.restoreGoal("s1", "{}"), { code: "invalid_options" });
  for (const args of [[7, "x"], ["s1"], ["s1", 7]]) assert.throws(() => engine.setGoal(...args), TypeError);
  for (const args of [["s1", -1, 0], ["s1", 0, 1.5], ["s1", 0], [1, 0, 0]]) {
    assert.throws(() => engine.noteGoalUsage(...args), TypeError);
  }
});

test("the contexts of an outcome, as the dialect hands them to its model", async () => {
  const context = (text) => answer({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: text } });
  const engine = new Engine(qwen("UserPromptSubmit", context("one"), context("two")));
  const outcome = await engine.dispatch({ hook_event_name: "UserPromptSubmit", prompt: "hello" });
  assert.deepEqual(outcome.additional_context, ["one", "two"]);
  const text = engine.renderContext(outcome);
  assert.match(text, /one[^]*two/);
  assert.equal(engine.renderContext(JSON.stringify(outcome)), text);
  assert.equal(engine.renderContext({ ...outcome, additional_context: [] }), null);
  assert.throws(() => engine.renderContext({}), { code: "invalid_event" });
  assert.throws(() => engine.renderContext(7), TypeError);
});

test("a message is streamed: every delivery has the whole text, the last one is final", async (t) => {
  const dir = tempDir(t);
  const engine = new Engine(qwen("MessageDisplay", `cat > ${dir}/$$.new; mv ${dir}/$$.new ${dir}/$$.json`));
  const seen = () => {
    const files = readdirSync(dir).filter((name) => name.endsWith(".json"));
    return files.map((name) => JSON.parse(readFileSync(join(dir, name), "utf8")));
  };
  const message = engine.messageDisplay({ session_id: "s1", message_id: "m1" });
  assert.ok(message instanceof MessageDisplay);
  message.push("Hello");
  await until(() => seen().length > 0, "the first delivery");
  const [first] = seen();
  assert.deepEqual(
    [first.hook_event_name, first.session_id, first.message_id, first.displayed_text, first.is_final],
    ["MessageDisplay", "s1", "m1", "Hello", false],
  );
  message.push(", ");
  message.push("world");
  assert.equal(await message.finish({ timeout: 10_000 }), true);
  assert.equal(await message.finish(), true);
  message.push("too late");
  const final = seen().filter(({ is_final }) => is_final);
  assert.deepEqual(final.map(({ displayed_text }) => displayed_text), ["Hello, world"]);
});

test("a message reaches function hooks, and finish waits for them", async () => {
  const engine = new Engine({ dialect: "qwen", settings: {} });
  const seen = [];
  engine.hook("MessageDisplay", async (input) => {
    await sleep(50);
    seen.push([input.displayed_text, input.is_final]);
  });
  const message = engine.messageDisplay({});
  message.push("text");
  assert.equal(await message.finish(), true);
  assert.deepEqual(seen.at(-1), ["text", true]);
});

test("finish gives up after its time limit, and when its signal fires", async (t) => {
  const file = join(tempDir(t), "done");
  const engine = new Engine(qwen("MessageDisplay", `sleep 0.5; touch ${file}`));
  const message = engine.messageDisplay("{}");
  message.push("text");
  assert.equal(await message.finish({ timeout: 30 }), false);
  const other = engine.messageDisplay({});
  other.push("text");
  const controller = new AbortController();
  const finishing = other.finish({ signal: controller.signal });
  controller.abort();
  await assert.rejects(finishing, { name: "AbortError", code: "cancelled" });
  await until(() => existsSync(file), "the hook, which goes on");
});

test("a message that is aborted or empty delivers nothing", async (t) => {
  const file = join(tempDir(t), "seen");
  const engine = new Engine(qwen("MessageDisplay", `touch ${file}`));
  assert.equal(await engine.messageDisplay({}).finish(), true);
  const message = engine.messageDisplay({});
  message.abort();
  message.push("text");
  assert.equal(await message.finish(), true);
  assert.equal(existsSync(file), false);
});

test("what is no message", () => {
  const engine = new Engine({ dialect: "qwen", settings: {} });
  assert.throws(() => engine.messageDisplay("[]"), (error) => error instanceof CrosshookError && error.code === "invalid_event");
  assert.throws(() => engine.messageDisplay(7), TypeError);
  assert.throws(() => engine.messageDisplay({}).push(7), TypeError);
  assert.throws(() => new MessageDisplay(), TypeError);
  assert.throws(() => new Engine({ dialect: "zcode", settings: {} }).messageDisplay({}), { code: "invalid_options" });
});

test("finish keeps the process alive", async () => {
  const end = await node(`
    import { Engine } from "file://$ENTRY";
    const engine = new Engine(${JSON.stringify(qwen("MessageDisplay", "sleep 0.3"))});
    const message = engine.messageDisplay({});
    message.push("text");
    message.finish().then(console.log);`);
  assert.deepEqual([end.code, end.stdout, end.stderr], [0, "true\n", ""]);
});
