// Hooks made with `crosshook/worker`: as workers, and as usual commands.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { Engine } from "crosshook";
import { bash, packageRoot, tempDir } from "./helpers.mjs";

const HOOK = `
let asked = 0;
function hook(event) {
  asked += 1;
  console.log("a line that is no answer");
  const what = event.tool_input.command;
  if (what === "deny") throw new Block("not that\\nnever");
  if (what === "text") return "two\\nlines";
  if (what === "fail") throw new TypeError("gone");
  if (what === "nonsense") return 5;
  if (what === "nothing") return;
  return { systemMessage: [process.pid, asked, what, process.env.CROSSHOOK_WORKER, "crosshook" in event].join(" ") };
}
`;
const MODULE = `import { Block, serve } from ${JSON.stringify(pathToFileURL(join(packageRoot, "worker.mjs")))};`;
const COMMON = `const { Block, serve } = require(${JSON.stringify(join(packageRoot, "worker.cjs"))});`;
const LATER = `serve(async (event) => { await new Promise((done) => setTimeout(done, 1)); return hook(event); });`;
const SCRIPTS = { "hook.mjs": `${MODULE}${HOOK}serve(hook);`, "hook.cjs": `${COMMON}${HOOK}${LATER}` };

function scripted(t, name, script = SCRIPTS[name]) {
  const file = join(tempDir(t), name);
  writeFileSync(file, script);
  return file;
}

function engine(file, more) {
  const hook = { type: "command", command: `${process.execPath} ${file}`, timeout: 60, ...more };
  return new Engine({ dialect: "codebuddy", settings: { hooks: { PreToolUse: [{ hooks: [hook] }] } } });
}

for (const [name, worker] of [["hook.mjs", true], ["hook.cjs", true], ["hook.mjs", false], ["hook.cjs", false]]) {
  test(`what a hook says: ${name}, ${worker ? "a worker" : "a command"}`, async (t) => {
    const asked = engine(scripted(t, name), { worker });
    const first = (await asked.dispatch(bash("ä"))).system_messages[0].split(" ");
    const denied = await asked.dispatch(bash("deny"));
    // The reason of a command is all that stands on its standard error.
    const reason = worker ? "not that\nnever" : "a line that is no answer\nnot that\nnever";
    assert.deepEqual([denied.decision, denied.reason], ["deny", reason]);
    const text = await asked.dispatch(bash("text"));
    assert.deepEqual([text.decision, text.hooks[0].stdout_bytes], ["none", "two\nlines".length]);
    assert.equal((await asked.dispatch(bash("nothing"))).hooks[0].status, "ok");
    for (const what of ["fail", "nonsense"]) {
      const failed = await asked.dispatch(bash(what));
      assert.deepEqual([failed.decision, failed.hooks[0].status], ["none", "error"]);
      assert.match(failed.hooks[0].error, /exit code 1/);
    }
    const [pid, count, what, variable, member] = asked.dispatchSync(bash("last")).system_messages[0].split(" ");
    assert.deepEqual([what, variable, member, first[1], first[2]], ["last", "", "false", "1", "ä"]);
    // A worker is one process for all events, also after those that failed.
    assert.deepEqual([pid === first[0], count], worker ? [true, "7"] : [false, "1"]);
    asked.close();
  });
}

test("the hook as other programs run it", (t) => {
  const file = scripted(t, "hook.mjs");
  const run = (what) => spawnSync(process.execPath, [file], { input: JSON.stringify(bash(what), null, 1), encoding: "utf8" });
  const denied = run("deny");
  assert.deepEqual([denied.status, denied.stdout, denied.stderr], [2, "", "a line that is no answer\nnot that\nnever\n"]);
  const allowed = run("x");
  assert.deepEqual([allowed.status, Object.keys(JSON.parse(allowed.stdout))], [0, ["systemMessage"]]);
  assert.equal(run("text").stdout, "two\nlines");
  const failed = run("fail");
  assert.deepEqual([failed.status, failed.stdout], [1, ""]);
  assert.match(failed.stderr, /TypeError: gone/);
});

test("a large event and a large answer", async (t) => {
  const asked = engine(scripted(t, "large.mjs", `${MODULE} serve((event) => ({ systemMessage: event.tool_input.command + "!" }));`), { worker: true });
  const text = "0123456789\n".repeat(100_000);
  for (let i = 0; i < 2; i++) assert.deepEqual((await asked.dispatch(bash(text))).system_messages, [`${text}!`]);
  asked.close();
});

test("serve takes a function", (t) => {
  const { status, stderr } = spawnSync(process.execPath, [scripted(t, "bad.mjs", `${MODULE} serve({});`)], { input: "{}", encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /serve\(\) takes a function/);
});
