// Settings between events: places, plugins, trust, drift, reload, registration, scopes, sessions.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { CrosshookError, Engine } from "crosshook";
import { bash, denial, qwen, tempDir } from "./helpers.mjs";

/** Writes a file with its folders. */
function put(path, value) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

const hooks = (...commands) => qwen("PreToolUse", ...commands).settings;

/** A machine of its own: nothing of this one is looked at. */
function places(t, dialect = "qwen") {
  const dir = tempDir(t);
  const [home, projectDir] = ["home", "project"].map((name) => join(dir, name));
  for (const path of [home, projectDir]) mkdirSync(path);
  return { dir, options: { dialect, home, projectDir, env: { PATH: process.env.PATH } } };
}

test("the dialect's own files are found, and what they say is kept", async (t) => {
  const { options } = places(t);
  const path = put(join(options.home, ".qwen", "settings.json"), hooks(denial("from the user")));
  const engine = new Engine(options);
  assert.deepEqual(engine.list().map(({ origin }) => [origin.scope, origin.path]), [["user", path]]);
  put(path, hooks());
  assert.equal((await engine.dispatch(bash("ls"))).reason, "from the user");
  assert.deepEqual(new Engine({ ...options, settings: {} }).list(), []);
  assert.equal(new Engine({ ...options, settings: {}, discover: true }).list().length, 0);
});

test("an untrusted project's hooks are listed, do not run, and are named", async (t) => {
  const { options } = places(t);
  put(join(options.projectDir, ".qwen", "settings.json"), hooks(denial("from the project")));
  const outcome = await new Engine({ ...options, trusted: false }).dispatch(bash("ls"));
  assert.equal(outcome.decision, "none");
  assert.equal((await new Engine(options).dispatch(bash("ls"))).decision, "deny");
  const [hook] = new Engine({ ...options, trusted: false }).list();
  assert.equal(hook.enabled, false);
  assert.match(hook.why_not, /trust/);
});

test("plugins: a folder, or more about it", async (t) => {
  const { dir, options } = places(t);
  const path = join(dir, "a plugin");
  put(join(path, ".claude-plugin", "plugin.json"), { name: "mine" });
  put(join(path, "hooks", "hooks.json"), hooks(denial("from the plugin")));
  const reason = async (plugin) => (await new Engine({ ...options, settings: {}, plugins: [plugin] }).dispatch(bash("ls"))).reason;
  assert.equal(await reason(path), "from the plugin");
  assert.equal(await reason({ path, id: "other", dataDir: join(dir, "data"), options: { a: "b" } }), "from the plugin");
  assert.equal(await reason({ path, enabled: false }), null);
});

test("changes and reload", async (t) => {
  const { options } = places(t);
  const path = put(join(options.home, ".qwen", "settings.json"), hooks(denial("old"), "true"));
  const engine = new Engine(options);
  const empty = { files: [], added: [], changed: [], removed: [], diagnostics: [] };
  assert.deepEqual(engine.changes(), empty);
  put(path, hooks(denial("new"), "true"));
  const changes = engine.changes();
  assert.deepEqual(changes.files, [{ path, change: "changed" }]);
  const touched = [...changes.added, ...changes.changed.map(({ after }) => after)];
  assert.deepEqual(touched.map(({ label }) => label), [denial("new")]);
  assert.equal((await engine.dispatch(bash("ls"))).reason, "old");
  assert.deepEqual(engine.reload(), changes);
  assert.equal((await engine.dispatch(bash("ls"))).reason, "new");
  assert.deepEqual(engine.changes(), empty);

  writeFileSync(path, "{ broken");
  assert.deepEqual(engine.changes().files, [{ path, change: "broken" }]);
  assert.throws(() => engine.reload(), (error) => {
    assert.ok(error instanceof CrosshookError);
    assert.deepEqual([error.code, error.details.path, error.details.line], ["invalid_settings", path, 1]);
    return true;
  });
  assert.equal((await engine.dispatch(bash("ls"))).reason, "new");
});

test("a dispatch in flight keeps its set", async (t) => {
  const { options } = places(t);
  const path = put(join(options.home, ".qwen", "settings.json"), hooks("sleep 0.2; echo old >&2; exit 2"));
  const engine = new Engine(options);
  const pending = engine.dispatch(bash("ls"));
  put(path, hooks());
  assert.equal(engine.reload().removed.length, 1);
  assert.equal((await pending).reason.trim(), "old");
  assert.equal((await engine.dispatch(bash("ls"))).decision, "none");
});

test("hooks for one session, as an object and as text", async () => {
  const engine = new Engine(qwen("PreToolUse"));
  const settings = hooks(denial("registered"));
  for (const form of [settings, JSON.stringify(settings)]) {
    const { id, hooks: count, diagnostics } = engine.register("s1", form);
    assert.deepEqual([count, diagnostics], [1, []]);
    assert.equal((await engine.dispatch({ ...bash("ls"), session_id: "s1" })).reason, "registered");
    assert.equal((await engine.dispatch({ ...bash("ls"), session_id: "s2" })).decision, "none");
    assert.equal(engine.unregister(id), true);
    assert.equal(engine.unregister(id), false);
    assert.equal((await engine.dispatch({ ...bash("ls"), session_id: "s1" })).decision, "none");
  }
  assert.throws(() => engine.register("s1", "no JSON"), { code: "invalid_settings" });
  const bad = engine.register("s1", { hooks: { PreToolUse: [{ hooks: [{ type: "no-such-type" }] }] } });
  assert.equal(bad.diagnostics[0].code, "unknown_hook_type");
});

test("the scope of an agent opens and closes", async () => {
  const gate = { allowUntrustedFrontmatterHooks: true };
  const engine = new Engine({ dialect: "codebuddy", settings: [{ scope: "user", settings: gate }] });
  const frontmatter = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: denial("from the agent") }] }] } };
  const text = `---\nname: helper\nhooks: ${JSON.stringify(frontmatter.hooks)}\n---\nYou help.\n`;
  const scope = engine.openScope({ owner: "agent", source: "user", text, sessionId: "s1" });
  assert.deepEqual([scope.hooks, scope.diagnostics], [1, []]);
  assert.equal((await engine.dispatch({ ...bash("ls"), session_id: "s1" })).reason, "from the agent");
  assert.equal((await engine.dispatch({ ...bash("ls"), session_id: "s2" })).decision, "none");
  assert.equal(engine.closeScope(scope.id), true);
  assert.equal(engine.closeScope(scope.id), false);
  assert.equal((await engine.dispatch({ ...bash("ls"), session_id: "s1" })).decision, "none");
  const malformed = engine.openScope({ owner: "agent", source: "user", text: "---\nhooks: [\n---\n" });
  assert.deepEqual([malformed.hooks, malformed.diagnostics[0].code], [0, "frontmatter_malformed"]);
  assert.throws(() => engine.openScope({ owner: "nobody", source: "user", text }), { code: "invalid_options" });
});

test("plugins, sessions and agents of another dialect", async (t) => {
  const { dir, options } = places(t);
  const guard = (event, matcher) => ({ [event]: [{ matcher, hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }] });
  const gemini = { hooks: guard("BeforeTool", "^run_shell_command$") };
  const claude = JSON.stringify(guard("PreToolUse", "^Bash$"));
  const path = join(dir, "for two");
  put(join(path, "gemini-extension.json"), { name: "g", ...gemini });
  put(join(path, ".claude-plugin", "plugin.json"), { name: "c", hooks: JSON.parse(claude) });
  const call = { ...bash("ls"), tool_name: "run_shell_command", session_id: "s1" };
  const ran = async (engine, event = call) => {
    const outcome = await engine.dispatch(event);
    return [outcome.decision, outcome.reason, ...outcome.hooks.map(({ dialect }) => dialect)];
  };
  const plugins = ["gemini", "claude"].map((dialect) => ({ path, dialect }));
  const settings = {};
  assert.deepEqual(await ran(new Engine({ ...options, settings, plugins })), ["deny", "no\nno", "gemini", "claude"]);

  const engine = new Engine({ ...options, settings });
  const entry = { dialect: "gemini", settings: gemini };
  for (const form of [entry, JSON.stringify(entry)]) {
    const registered = engine.register("s1", form);
    assert.deepEqual([registered.hooks, registered.diagnostics], [1, []]);
    assert.deepEqual(await ran(engine), ["deny", "no", "gemini"]);
    assert.deepEqual(await ran(engine, { ...call, session_id: "s2" }), ["none", null]);
    assert.equal(engine.unregister(registered.id), true);
  }
  const text = `---\nname: helper\nhooks: ${claude}\n---\n`;
  const scope = engine.openScope({ owner: "agent", source: "user", text, dialect: "claude", sessionId: "s1" });
  assert.deepEqual(scope.diagnostics, []);
  assert.deepEqual(await ran(engine), ["deny", "no", "claude"]);
  assert.equal(engine.closeScope(scope.id), true);
  assert.deepEqual(await ran(engine), ["none", null]);

  const placed = (pointer) => (error) => {
    assert.deepEqual([error.code, error.details.pointer], ["invalid_options", pointer]);
    return true;
  };
  assert.throws(() => new Engine({ ...options, settings, plugins: [{ path, dialect: "cursor" }] }), placed("/plugins/0/dialect"));
  assert.throws(() => engine.register("s1", { dialect: "cursor", settings: {} }), placed("/dialect"));
  assert.throws(() => engine.openScope({ owner: "agent", source: "user", text, dialect: "cursor" }), placed("/dialect"));
});

test("grants: wanted, given, kept, taken back", async (t) => {
  const { dir, options } = places(t, "zcode");
  const trustStore = join(dir, "grants.json");
  const settings = {
    hooks: { enabled: true, events: { PreToolUse: [{ hooks: [{ type: "process", command: "sh", args: ["-c", "echo no >&2; exit 2"] }] }] } },
  };
  mkdirSync(join(options.projectDir, ".git"));
  put(join(options.projectDir, ".zcode", "config.json"), settings);
  const make = () => new Engine({ ...options, trustStore, trusted: false });
  const engine = make();
  const decision = async (asked) => (await asked.dispatch(bash("ls"))).decision;
  assert.equal(await decision(engine), "none");
  const [wanted, ...more] = engine.wantedGrants();
  assert.deepEqual(more, []);
  assert.deepEqual(Object.keys(wanted), ["workspace", "digest", "origin", "hooks"]);
  assert.equal(wanted.workspace, options.projectDir);
  assert.equal(wanted.origin.scope, "project");
  assert.equal(wanted.hooks[0].type, "process");
  assert.throws(() => engine.grant("sha256:no-such-digest"), { code: "invalid_options" });
  assert.equal(engine.grant(wanted.digest), undefined);
  assert.deepEqual([await decision(engine), engine.wantedGrants()], ["deny", []]);
  assert.deepEqual(engine.grants(), [{ workspace: wanted.workspace, digest: wanted.digest }]);
  assert.ok(existsSync(trustStore));
  const other = make();
  assert.equal(await decision(other), "deny");
  assert.equal(other.revoke(wanted.digest), undefined);
  assert.equal(await decision(other), "none");
  assert.equal(await decision(make()), "none");
});

test("a session is ended: its count of prevented stops begins anew", async () => {
  const options = qwen("Stop", "echo go on >&2; exit 2");
  options.settings.stopHookBlockingCap = 2;
  const engine = new Engine(options);
  const stop = async (session_id) => (await engine.dispatch({ hook_event_name: "Stop", session_id, stop_hook_active: true })).decision;
  // The cap prevents the second stop in a row from being blocked.
  assert.deepEqual([await stop("a"), await stop("b")], ["block", "block"]);
  assert.equal(engine.endSession("a"), true);
  assert.equal(engine.endSession("a"), false);
  assert.deepEqual([await stop("a"), await stop("b")], ["block", "none"]);
});

test("arguments of a wrong type, and a closed engine", async () => {
  const engine = new Engine(qwen("PreToolUse"));
  const wrong = { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" };
  for (const call of ["unregister", "closeScope", "grant", "revoke", "endSession"]) {
    for (const value of [undefined, null, 7, {}]) assert.throws(() => engine[call](value), wrong, call);
  }
  for (const value of [undefined, null, 7, []]) assert.throws(() => engine.register("s", value), wrong);
  assert.throws(() => engine.register(7, {}), wrong);
  for (const value of [undefined, "text", 7, []]) assert.throws(() => engine.openScope(value), wrong);
  for (const value of ["1", null, -1, NaN, 1.5]) assert.throws(() => engine.cancelBackground(value), wrong);
  for (const value of [undefined, "log", {}]) assert.throws(() => engine.watch(value), wrong);
  for (const timeout of ["1", -1, NaN]) await assert.rejects(engine.waitBackground({ timeout }), wrong);
  await assert.rejects(engine.waitBackground(7), wrong);
  await engine.close();
  const calls = {
    changes: [], reload: [], register: ["s", {}], unregister: ["x"], openScope: [{}], closeScope: ["x"], wantedGrants: [], grants: [],
    grant: ["x"], revoke: ["x"], watch: [() => {}], background: [], cancelBackground: [], takeLateResults: [], endSession: ["x"],
  };
  for (const [call, args] of Object.entries(calls)) assert.throws(() => engine[call](...args), { code: "closed" }, call);
  await assert.rejects(engine.waitBackground(), { code: "closed" });
});
