// The hand-written types say what really comes. (Whether they are good types is what `npm run check` tells.)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Engine } from "crosshook";
import { bash, denial, packageRoot, qwen } from "./helpers.mjs";

const read = (...path) => readFileSync(join(packageRoot, ...path), "utf8");
const types = read("index.d.ts") + read("outcome.d.ts");

/** The keys of an interface, with those it extends, in order. */
function keysOf(name) {
  const [, base, body] = new RegExp(`^export interface ${name}(?:<.*?>)?(?: extends (\\w+))? \\{\\n(.*?)^\\}`, "ms").exec(types);
  const own = [...body.matchAll(/^  (\w+)\??:/gm)].map(([, key]) => key);
  return [...(base ? keysOf(base) : []), ...own];
}

test("outcome, reports, diagnostics, origins, explanations and listings", () => {
  const options = qwen("PreToolUse", denial("x"));
  options.settings.hooks.PreToolUse.push({ hooks: [{ type: "no-such-type" }] });
  const engine = new Engine(options);
  const outcome = engine.dispatchSync(bash("ls"));
  const values = {
    Outcome: outcome,
    HookReport: outcome.hooks[0],
    Origin: outcome.hooks[0].origin,
    Diagnostic: outcome.diagnostics[0],
    ListedHook: engine.list()[0],
    ExplainedHook: engine.explain(bash("ls"))[0],
  };
  for (const [name, value] of Object.entries(values)) assert.deepEqual(keysOf(name), Object.keys(value), name);
});

test("every option is one of the core's", () => {
  const values = { dialect: "qwen", settings: {}, projectDir: "/", home: "/", trusted: true, failMode: "open", env: {}, discover: false, plugins: [], trustStore: "/nowhere/grants.json", model: () => "", agent: () => "" };
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
