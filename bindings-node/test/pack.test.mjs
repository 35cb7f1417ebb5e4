// The package as users get it: packed, and installed into an empty folder.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { bash, denial, packageRoot, qwen, tempDir } from "./helpers.mjs";

const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

test("npm pack, npm install, use", (t) => {
  const dir = tempDir(t);
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", dir], packageRoot));
  const files = packed.files.map(({ path }) => path).filter((path) => !path.endsWith(".node"));
  assert.deepEqual(files.sort(), [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "bridge.cjs",
    "callbacks.cjs",
    "callbacks.d.ts",
    "cli.cjs",
    "display.cjs",
    "engine.cjs",
    "errors.cjs",
    "errors.d.ts",
    "events.d.ts",
    "fields.cjs",
    "generated/events.d.ts",
    "generated/outcome.d.ts",
    "generated/settings.d.ts",
    "index.cjs",
    "index.d.ts",
    "index.mjs",
    "input.cjs",
    "main.cjs",
    "manage.d.ts",
    "native.cjs",
    "options.d.ts",
    "outcome.d.ts",
    "package.json",
    "worker.cjs",
    "worker.d.ts",
    "worker.mjs",
  ]);
  writeFileSync(join(dir, "package.json"), "{}");
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(dir, packed.filename)], dir);

  const use = `const engine = new Engine(${JSON.stringify(qwen("PreToolUse", denial("packed")))});
    console.log(engine.dispatchSync(${JSON.stringify(bash("ls"))}).reason);`;
  writeFileSync(join(dir, "use.mjs"), `import { Engine } from "crosshook"; ${use}`);
  writeFileSync(join(dir, "use.cjs"), `const { Engine } = require("crosshook"); ${use}`);
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  assert.equal(run("npx", ["--offline", "crosshook", "--version"], dir), `crosshook ${version}\n`);
  const serve = `serve((event) => ({ systemMessage: event.tool_name }));`;
  writeFileSync(join(dir, "hook.mjs"), `import { serve } from "crosshook/worker"; ${serve}`);
  writeFileSync(join(dir, "hook.cjs"), `const { serve } = require("crosshook/worker"); ${serve}`);
  for (const file of ["hook.mjs", "hook.cjs"]) {
    const input = JSON.stringify(bash("ls"));
    const said = execFileSync(process.execPath, [file], { cwd: dir, encoding: "utf8", input });
    assert.equal(said, `{"systemMessage":"Bash"}\n`);
  }
  for (const file of ["use.mjs", "use.cjs"]) assert.equal(run(process.execPath, [file], dir), "packed\n");

  const source = `import { Engine, type Outcome } from "crosshook";
    export const outcome: Outcome<"Stop"> = new Engine({ dialect: "qwen" }).dispatchSync({ hook_event_name: "Stop" });`;
  writeFileSync(join(dir, "use.mts"), source);
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", types: [] };
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.mts"] }));
  const tsc = join(packageRoot, "node_modules", "typescript", "bin", "tsc");
  assert.equal(run(process.execPath, [tsc, "-p", "."], dir), "");
});
