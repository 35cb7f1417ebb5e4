// The shared test vectors (tests/vectors/*.jsonl), each through dispatch and through dispatchSync.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine } from "crosshook";
import { differences } from "./compare.mjs";
import { packageRoot } from "./helpers.mjs";

const folder = join(packageRoot, "..", "tests", "vectors");
/** Other tests share the machine: what the bound guards against takes seconds. */
const SLACK_MS = 1500;
/** The outcome of `dispatchSync` blocks this thread, so only the others run side by side. */
const ways = [
  { name: "dispatch", concurrency: 4, call: (engine, event) => engine.dispatch(event) },
  { name: "dispatchSync", concurrency: 1, call: (engine, event) => engine.dispatchSync(event) },
];

const disputed = readFileSync(join(folder, "DISPUTED.md"), "utf8");

/** Why a vector is left out, or null. Nothing else decides that. */
function leftOut({ id }) {
  return disputed.includes(`\n| \`${id}\` `) ? "disputed, see DISPUTED.md" : null;
}

/** Where a dialect's plugins have their manifest. */
const manifests = { zcode: ".zcode-plugin", codebuddy: ".codebuddy-plugin" };

/** Writes a plugin to disk and returns its folder. */
function plant(dialect, { root, name, settings, files = {} }) {
  const put = (path, text, mode) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  };
  put(join(manifests[dialect] ?? ".claude-plugin", "plugin.json"), JSON.stringify({ name }));
  put(join("hooks", "hooks.json"), JSON.stringify(settings));
  for (const [path, text] of Object.entries(files)) put(path, text, 0o755);
  return root;
}

/** A host whose model and agent give these replies, in order. Without replies there is neither. */
function canned(replies) {
  if (replies === undefined) return {};
  const left = [...replies];
  const next = () => {
    if (left.length === 0) throw new Error("there is no canned reply left");
    return left.shift();
  };
  return { model: next, agent: next };
}

function engineFor(vector, home, projectDir) {
  const { dialect, sources, trusted = true, llm } = vector;
  const isPlugin = ({ scope }) => scope === "plugin";
  const settings = sources.filter((source) => !isPlugin(source));
  const plugins = sources.filter(isPlugin).map((source) => plant(dialect, source));
  return new Engine({ dialect, settings, plugins, projectDir, home, trusted, discover: false, ...canned(llm) });
}

/** The events of a vector: the first, and its repetitions. */
function eventsOf({ event, fill = [], repeat = 1 }) {
  for (const { pointer, char, count } of fill) {
    const keys = pointer.split("/").slice(1);
    const last = keys.pop();
    keys.reduce((node, key) => node[key], event)[last] = char.repeat(count);
  }
  return Array.from({ length: repeat }, (_, n) => (n === 0 ? event : { ...event, stop_hook_active: true }));
}

async function run(line, call) {
  const tmp = mkdtempSync(join(tmpdir(), "crosshook-vector-"));
  try {
    const vector = JSON.parse(line.replaceAll("{{TMP}}", tmp));
    const [home, project] = [".home", ".project"].map((name) => join(tmp, name));
    for (const dir of [home, project]) mkdirSync(dir);
    const engine = engineFor(vector, home, project);
    const start = performance.now();
    const outcomes = [];
    for (const event of eventsOf(vector)) outcomes.push(await call(engine, event));
    const faults = judge(vector, outcomes, performance.now() - start);
    return [...faults, ...(await aftermath(vector.after))];
  } finally {
    rmSync(tmp, { recursive: true, force: true });
  }
}

function judge(vector, outcomes, ms) {
  const faults = outcomes.flatMap((outcome, index) => {
    const last = index === outcomes.length - 1;
    return differences((last && vector.expect_last) || vector.expect, outcome);
  });
  if (vector.diagnostic && outcomes.every(({ diagnostics }) => diagnostics.length === 0)) faults.push("no diagnostics");
  for (const text of vector.not_in_reason ?? []) {
    if (outcomes.some(({ reason }) => reason?.includes(text))) faults.push(`the reason holds ${JSON.stringify(text)}`);
  }
  if (ms > (vector.within_ms ?? Infinity) + SLACK_MS) faults.push(`took ${ms} ms, allowed ${vector.within_ms}`);
  return faults;
}

async function aftermath(after) {
  if (!after) return [];
  await sleep(after.wait_ms);
  const read = (file) => (existsSync(file) ? readFileSync(file, "utf8") : null);
  return [
    ...(after.absent ?? []).filter((file) => existsSync(file)).map((file) => `${file} exists`),
    ...Object.entries(after.equals ?? {})
      .filter(([file, text]) => read(file) !== text)
      .map(([file, text]) => `${file} holds ${JSON.stringify(read(file))}, not ${JSON.stringify(text)}`),
  ];
}

const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
assert.ok(files.length > 0, `no vectors in ${folder}`);

for (const file of files) {
  const lines = readFileSync(join(folder, file), "utf8").split("\n").filter((line) => line.trim() !== "");
  for (const { name, concurrency, call } of ways) {
    test(`${file} through ${name}`, { concurrency }, async (t) => {
      const all = lines.map((line) => {
        const vector = JSON.parse(line);
        const { id, note } = vector;
        const why = leftOut(vector);
        return t.test(id, { skip: why ?? false }, async () => assert.deepEqual(await run(line, call), [], note));
      });
      await Promise.all(all);
    });
  }
}
