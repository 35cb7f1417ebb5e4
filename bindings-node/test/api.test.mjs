// Values in, values out.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import vm from "node:vm";
import * as esm from "crosshook";
import { answer, bash, denial, packageRoot, qwen, tempDir } from "./helpers.mjs";

const { Engine, CrosshookError, version } = esm;
const KEYS = [
  "event",
  "decision",
  "reason",
  "updated_input",
  "updated_output",
  "additional_context",
  "system_messages",
  "stop",
  "suppress_output",
  "updated_permissions",
  "interrupt",
  "extra",
  "hooks",
  "diagnostics",
];

test("ES modules and CommonJS are one package", () => {
  const cjs = createRequire(import.meta.url)("crosshook");
  assert.deepEqual(Object.keys(esm).sort(), ["CrosshookError", "Engine", "MessageDisplay", "dialectNames", "settingsSchema", "version"]);
  for (const name of Object.keys(esm)) assert.equal(cjs[name], esm[name]);
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
});

test("the dialects and the schemas of their settings", () => {
  const names = esm.dialectNames();
  assert.deepEqual(names, ["codebuddy", "zcode", "qwen", "claude", "codex", "gemini"]);
  for (const name of names) {
    const committed = readFileSync(join(packageRoot, "..", "core", "schema", `${name}.schema.json`), "utf8");
    assert.deepEqual(esm.settingsSchema(name), JSON.parse(committed));
    new Engine({ dialect: name, settings: {} });
  }
  assert.notEqual(esm.settingsSchema("qwen"), esm.settingsSchema("qwen"), "a fresh object each time");
  assert.throws(() => esm.settingsSchema("pascal"), { code: "invalid_options", message: /no dialect "pascal"; it is one of codebuddy, / });
  assert.throws(() => esm.settingsSchema(7), { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" });
});

test("the version is that of the package and of the workspace", () => {
  const { version: ours } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  const cargo = readFileSync(join(packageRoot, "..", "Cargo.toml"), "utf8");
  assert.equal(version, ours);
  assert.equal(version, /^\[workspace\.package\]\nversion = "(.*)"$/m.exec(cargo)[1]);
});

test("an object gives an object", async () => {
  const engine = new Engine(qwen("PreToolUse", denial("not here")));
  for (const outcome of [await engine.dispatch(bash("ls")), engine.dispatchSync(bash("ls"))]) {
    assert.deepEqual(Object.keys(outcome), KEYS);
    assert.equal(outcome.event, "PreToolUse");
    assert.equal(outcome.decision, "deny");
    assert.equal(outcome.reason, "not here");
    assert.equal(outcome.hooks.length, 1);
    assert.equal(outcome.hooks[0].status, "blocked");
    assert.equal(outcome.hooks[0].exit_code, 0);
    assert.ok(outcome.hooks[0].duration_ms > 0);
  }
});

test("a string gives a string, bytes give a Buffer", async () => {
  const engine = new Engine(qwen("PreToolUse", denial("nö")));
  const text = JSON.stringify(bash("ls"));
  for (const json of [await engine.dispatch(text), engine.dispatchSync(text)]) {
    assert.equal(typeof json, "string");
    assert.equal(JSON.parse(json).reason, "nö");
  }
  const forms = [Buffer.from(text), new TextEncoder().encode(text), Buffer.from(`xx${text}`).subarray(2)];
  forms.push(vm.runInNewContext("Uint8Array.from(bytes)", { bytes: [...forms[0]] }));
  for (const bytes of forms) {
    for (const json of [await engine.dispatch(bytes), engine.dispatchSync(bytes)]) {
      assert.ok(Buffer.isBuffer(json));
      assert.equal(JSON.parse(json.toString()).reason, "nö");
    }
  }
});

test("the event is copied before dispatch returns", async () => {
  const engine = new Engine(qwen("PreToolUse", denial("a")));
  const bytes = Buffer.from(JSON.stringify(bash("ls")));
  const event = bash("ls");
  const pending = [engine.dispatch(bytes), engine.dispatch(event)];
  bytes.fill(0);
  event.hook_event_name = 7;
  assert.equal(JSON.parse(await pending[0]).decision, "deny");
  assert.equal((await pending[1]).decision, "deny");
});

test("what JSON can say arrives at the hook as it was said", async (t) => {
  const file = join(tempDir(t), "stdin");
  const engine = new Engine(qwen("PreToolUse", `cat > ${file}`));
  const input = { nul: "a\0b", half: "\ud83d", astral: "😀", big: 1e21, line: "\u2028", proto: { __proto__: null, x: 1 } };
  const seen = () => JSON.parse(readFileSync(file, "utf8")).tool_input;
  await engine.dispatch({ ...bash(""), tool_input: input });
  assert.deepEqual({ ...seen(), proto: null }, { ...input, proto: null });
  // In a string the half pair may stand as it is: it is escaped on the way.
  engine.dispatchSync(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"half":"\ud83d","whole":"😀"}}`);
  assert.deepEqual(seen(), { half: "\ud83d", whole: "😀" });
});

test("toJSON and undefined count as with JSON.stringify", async (t) => {
  const file = join(tempDir(t), "stdin");
  const engine = new Engine(qwen("PreToolUse", `cat > ${file}`));
  await engine.dispatch({ ...bash(""), tool_input: { at: new Date(0), gone: undefined } });
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")).tool_input, { at: "1970-01-01T00:00:00.000Z" });
});

test("one MiB in and out", async () => {
  const engine = new Engine(qwen("PreToolUse", "cat >/dev/null; exit 0"));
  const outcome = await engine.dispatch(bash("x".repeat(1 << 20)));
  assert.equal(outcome.decision, "none");
  assert.equal(outcome.hooks[0].status, "ok");
});

test("options reach the core: project, environment, fail mode", async (t) => {
  const dir = tempDir(t);
  const options = {
    ...qwen("PreToolUse", `printf '%s' "$CROSSHOOK_TEST:$QWEN_PROJECT_DIR" > ${join(dir, "env")}; exit 1`),
    projectDir: dir,
    home: dir,
    failMode: "closed",
    env: { ...process.env, CROSSHOOK_TEST: "yes" },
  };
  const outcome = await new Engine(options).dispatch(bash("ls"));
  assert.equal(readFileSync(join(dir, "env"), "utf8"), `yes:${dir}`);
  assert.equal(outcome.decision, "deny");
  assert.ok(outcome.diagnostics.some(({ code }) => code === "failed_closed"));
});

test("settings as a list of sources: objects and files", async (t) => {
  const path = join(tempDir(t), "settings.json");
  writeFileSync(path, JSON.stringify(qwen("PreToolUse", denial("from a file")).settings));
  const { settings } = qwen("PreToolUse", answer({ systemMessage: "from an object" }));
  const sources = [{ scope: "project", settings }, { scope: "user", path }];
  const outcome = await new Engine({ dialect: "qwen", settings: sources }).dispatch(bash("ls"));
  assert.equal(outcome.reason, "from a file");
  assert.deepEqual(outcome.system_messages, ["from an object"]);
  assert.ok(outcome.hooks.some(({ origin }) => origin.path === path));
});

test("a recording is decided again", (t) => {
  const path = join(tempDir(t), "hooks.jsonl");
  const record = { path, redact: [{ key: "mood" }], maxBytes: 1 << 20 };
  const engine = new Engine({ ...qwen("PreToolUse", denial("no")), record });
  engine.dispatchSync({ ...bash("ls"), mood: "bad" });
  const line = readFileSync(path);
  assert.equal(JSON.parse(line).event.mood, "[redacted]");
  const same = engine.replay(line);
  assert.deepEqual([same.same, same.differences, same.outcome.reason], [true, [], "no"]);
  const replay = new Engine({ dialect: "qwen", settings: {} }).replay(line.toString());
  assert.deepEqual(
    replay.differences.map(({ what, recorded, now }) => [what, recorded, now]),
    [["decision", "deny", "none"], ["reason", "no", null], ["not_run", null, null]],
  );
  assert.throws(() => engine.replay({}), TypeError);
  assert.throws(() => engine.replay("{"), { code: "invalid_event" });
  assert.throws(() => new Engine({ dialect: "qwen", settings: {}, record: tempDir(t) }), { code: "io" });
});

test("explain runs nothing, list names all, diagnostics tell what is wrong", (t) => {
  const file = join(tempDir(t), "ran");
  const options = qwen("PreToolUse", `touch ${file}`);
  options.settings.hooks.PreToolUse[0].matcher = "Bash";
  options.settings.hooks.PreToolUse.push({ hooks: [{ type: "no-such-type" }] });
  const engine = new Engine(options);
  for (const event of [bash("ls"), JSON.stringify(bash("ls")), Buffer.from(JSON.stringify(bash("ls")))]) {
    const [hook] = engine.explain(event);
    assert.equal(hook.runs, true);
    assert.equal(hook.matcher, "Bash");
    assert.equal(typeof hook.why, "string");
  }
  assert.equal(engine.explain({ ...bash("ls"), tool_name: "Write" })[0].runs, false);
  assert.throws(() => readFileSync(file), { code: "ENOENT" });
  assert.equal(engine.list()[0].event, "PreToolUse");
  assert.equal(engine.list()[0].label, `touch ${file}`);
  assert.ok(engine.diagnostics().some(({ level, code }) => level === "error" && code === "unknown_hook_type"));
  assert.deepEqual(engine.lint(), []);
  options.settings.hooks.PreToolUse[0].matcher = "^bash$";
  const found = new Engine(options).lint();
  assert.deepEqual(found.map(({ level, code }) => [level, code]), [["warning", "lint_matcher_never_matches"]]);
});

test("a closed engine answers nothing more", async () => {
  const engine = new Engine(qwen("PreToolUse", denial("x")));
  await engine.close();
  await engine.close();
  const closed = (error) => error instanceof CrosshookError && error.code === "closed" && error.outcome === null;
  await assert.rejects(engine.dispatch(bash("ls")), closed);
  for (const call of ["dispatchSync", "explain", "list", "diagnostics"]) {
    assert.throws(() => engine[call](bash("ls")), closed);
  }
});

test("disposal closes", { skip: !Symbol.asyncDispose }, async () => {
  const [one, two] = [new Engine(qwen("Stop")), new Engine(qwen("Stop"))];
  assert.equal(one[Symbol.dispose](), undefined);
  assert.equal(await two[Symbol.asyncDispose](), undefined);
  for (const engine of [one, two]) assert.throws(() => engine.list(), { code: "closed" });
});
