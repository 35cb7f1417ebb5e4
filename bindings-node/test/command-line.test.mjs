// The command line that the package brings along.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { bash, denial, gone, longHook, packageRoot, pidsIn, qwen, tempDir } from "./helpers.mjs";

const program = join(packageRoot, "cli.cjs");

/** The arguments of a dispatch with one hook. */
function dispatch(dir, command) {
  const file = join(dir, "settings.json");
  writeFileSync(file, JSON.stringify(qwen("PreToolUse", command).settings));
  return [program, "dispatch", "--dialect", "qwen", "--settings", file, "--home", dir];
}

test("it dispatches", (t) => {
  const input = JSON.stringify(bash("ls"));
  const { stdout, stderr, status } = spawnSync(process.execPath, dispatch(tempDir(t), denial("no")), { input, encoding: "utf8" });
  assert.deepEqual([stderr, status], ["", 0]);
  const { decision, reason } = JSON.parse(stdout);
  assert.deepEqual([decision, reason], ["deny", "no"]);
});

for (const [arguments_, status, message] of [
  [["list", "--dialect", "qwen", "--settings", "/none.json"], 1, /^crosshook: \/none\.json: /],
  [["list", "--dialect", "nobody"], 2, /^error: invalid value 'nobody'/],
]) {
  test(`${arguments_.join(" ")} ends with ${status}`, () => {
    const done = spawnSync(process.execPath, [program, ...arguments_], { encoding: "utf8" });
    assert.deepEqual([done.status, done.stdout], [status, ""]);
    assert.match(done.stderr, message);
  });
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  test(`${signal} ends the hooks`, async (t) => {
    const dir = tempDir(t);
    const file = join(dir, "pids");
    const child = spawn(process.execPath, dispatch(dir, longHook(file)), { stdio: ["pipe", "pipe", "inherit"] });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
    child.stdin.end(JSON.stringify(bash("ls")));
    const pids = await pidsIn(file);
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.kill(signal);
    assert.deepEqual([await ended, printed], [128 + { SIGINT: 2, SIGTERM: 15 }[signal], ""]);
    await gone(pids);
  });
}
