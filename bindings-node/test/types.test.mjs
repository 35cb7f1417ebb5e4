// The types say what really comes. (Whether they are good types is what `npm run check` tells.)
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Engine } from "crosshook";
import { bash, denial, packageRoot, qwen, tempDir, until } from "./helpers.mjs";

const read = (...path) => readFileSync(join(packageRoot, ...path), "utf8");
const files = ["generated", "."].flatMap((folder) => readdirSync(join(packageRoot, folder)).map((name) => join(folder, name)));
const types = files.filter((name) => name.endsWith(".d.ts")).map((name) => read(name)).join("\n");

/** The keys of an interface, with those it extends, in order. */
function keysOf(name) {
  const [, base, body] = new RegExp(`^export interface ${name}(?:<.*?>)?(?: extends (\\w+))? \\{\\n(.*?)^\\}`, "ms").exec(types);
  const own = [...body.matchAll(/^  (\w+)\??:/gm)].map(([, key]) => key);
  return [...new Set([...(base ? keysOf(base) : []), ...own])];
}

test("outcome, reports, diagnostics, origins, explanations, listings and replays", (t) => {
  const options = qwen("PreToolUse", denial("x"));
  options.settings.hooks.PreToolUse.push({ hooks: [{ type: "no-such-type" }] });
  const record = join(tempDir(t), "hooks.jsonl");
  const engine = new Engine({ ...options, record });
  const outcome = engine.dispatchSync(bash("ls"));
  const replay = new Engine({ dialect: "qwen", settings: {} }).replay(readFileSync(record));
  const values = {
    Outcome: outcome,
    HookReport: outcome.hooks[0],
    Origin: outcome.hooks[0].origin,
    Diagnostic: outcome.diagnostics[0],
    ListedHook: engine.list()[0],
    ExplainedHook: engine.explain(bash("ls"))[0],
    Replay: replay,
    Difference: replay.differences[0],
  };
  for (const [name, value] of Object.entries(values)) assert.deepEqual(keysOf(name), Object.keys(value), name);
});

test("goals, listings of background hooks, notices, registrations, changes", async () => {
  const options = { ...qwen("PostToolUse", "sleep 0.3"), dialect: "codebuddy" };
  options.settings.hooks.PostToolUse[0].hooks[0].async = true;
  const engine = new Engine(options);
  const notices = {};
  engine.watch((notice) => (notices[notice.type] = notice));
  engine.setGoal("s", "done");
  await engine.dispatch({ ...bash("ls"), hook_event_name: "PostToolUse" });
  const [running] = engine.background();
  await engine.dispatch({ hook_event_name: "Stop", session_id: "s" });
  await engine.waitBackground();
  await until(() => notices.background_finished, "the notice");
  const values = {
    Goal: engine.goal("s"),
    BackgroundHook: running,
    LateResult: engine.takeLateResults()[0],
    StartedNotice: notices.started,
    FinishedNotice: notices.finished,
    BackgroundFinishedNotice: notices.background_finished,
    DiagnosticNotice: notices.diagnostic,
    HookNote: notices.started.hook,
    Registered: engine.register("s", {}),
    Changes: engine.changes(),
  };
  for (const [name, value] of Object.entries(values)) {
    assert.deepEqual(keysOf(name).sort(), Object.keys(value).sort(), name);
  }
});

test("what a model is asked", async () => {
  const hook = (type) => ({ type, prompt: "May it?" });
  const settings = { hooks: { PreToolUse: [{ hooks: [hook("prompt"), hook("agent")] }] } };
  const asked = {};
  const ask = (request) => ((asked[request.kind] = request), { ok: true });
  await new Engine({ dialect: "codebuddy", settings, model: ask, agent: ask }).dispatch(bash("ls"));
  assert.deepEqual(keysOf("PromptRequest").sort(), Object.keys(asked.prompt).sort());
  assert.deepEqual(keysOf("AgentRequest").sort(), Object.keys(asked.agent).sort());
  settings.hooks.PreToolUse = [{ hooks: [{ type: "mcp_tool", server: "s", tool: "t", input: { c: "${tool_input.command}" } }] }];
  const answer = (request) => ((asked.tool = request), { content: [{ type: "text", text: '{"decision":"block","reason":"from a tool"}' }] });
  const outcome = await new Engine({ dialect: "claude", settings, mcpTool: answer }).dispatch(bash("ls"));
  assert.deepEqual(keysOf("ToolRequest").sort(), Object.keys(asked.tool).sort());
  assert.deepEqual([asked.tool.server, asked.tool.tool, asked.tool.input], ["s", "t", { c: "ls" }]);
  assert.deepEqual([outcome.decision, outcome.reason], ["deny", "from a tool"]);
});

test("every option is one of the core's", () => {
  const values = { dialect: "qwen", version: "0.24.4", settings: {}, projectDir: "/", home: "/", trusted: true, failMode: "open", env: {}, discover: false, plugins: [], trustStore: "/nowhere/grants.json", llm: undefined, lateResults: false, record: undefined, dialects: undefined, tools: {}, model: () => "", agent: () => "", mcpTool: () => "" };
  assert.deepEqual(keysOf("EngineOptions"), Object.keys(values));
  assert.deepEqual(new Engine(values).list(), []);
});

test("every error code is one of the core's, and the other way round", () => {
  const [, union] = /export type ErrorCode =(.*?);/s.exec(types);
  const ours = [...union.matchAll(/^  \| "(\w+)"$/gm)].map(([, code]) => code);
  const core = [...read("..", "core", "src", "error.rs").matchAll(/^ +Self::\w+ => "(\w+)",$/gm)].map(([, code]) => code);
  assert.ok(core.length > 5);
  assert.deepEqual(ours, core);
});
