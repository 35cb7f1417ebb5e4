// What a user reads when the addon does not load.
import assert from "node:assert/strict";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { node, packageRoot, tempDir } from "./helpers.mjs";

const addons = readdirSync(packageRoot).filter((name) => /^crosshook\..*\.node$/.test(name));
const target = `${process.platform}-${process.arch}`;

/** A copy of the package without its addon. */
function bare(t) {
  const dir = tempDir(t);
  for (const name of readdirSync(packageRoot)) {
    if (/\.([cm]js|json)$/.test(name)) cpSync(join(packageRoot, name), join(dir, name));
  }
  return dir;
}

/** The error a host can catch, the same through `import` and `require`. */
async function attempt(dir, env) {
  const errors = [];
  for (const load of [`await import("file://${dir}/index.mjs")`, `createRequire("${dir}/")("./index.cjs")`]) {
    const { code, stdout, stderr } = await node(
      `import { createRequire } from "node:module";
      try { ${load}; } catch (error) {
        console.log(JSON.stringify({ message: error.message, code: error.code, cause: error.cause?.message.split("\\n")[0] }));
      }`,
      { env },
    );
    assert.deepEqual([code, stderr], [0, ""]);
    errors.push(JSON.parse(stdout));
  }
  assert.deepEqual(errors[0], errors[1]);
  return errors[0];
}

test("no addon: the target, the files that were tried, and what to do", async (t) => {
  const error = await attempt(bare(t));
  assert.equal(error.code, "ERR_CROSSHOOK_NATIVE");
  assert.match(error.message, new RegExp(`no native addon for ${target}, Node ${process.version.replaceAll(".", "\\.")}`));
  assert.match(error.message, new RegExp(`\\./crosshook\\.${target}.*\\.node: not found`));
  assert.match(error.message, /npm run build/);
});

test("a broken addon: the real cause", async (t) => {
  const dir = bare(t);
  for (const name of addons) writeFileSync(join(dir, name), "not a library");
  const error = await attempt(dir);
  assert.match(error.cause, /file too short|invalid ELF header|not a mach-o|slice is not valid|not a valid Win32/i);
  assert.ok(error.message.includes(error.cause), error.message);
  assert.doesNotMatch(error.message, /npm run build/);
});

test("NAPI_RS_NATIVE_LIBRARY_PATH: nothing else is tried", async (t) => {
  const dir = bare(t);
    const missing = await attempt(dir, { NAPI_RS_NATIVE_LIBRARY_PATH: "/no/such/file.node" });
  assert.match(missing.message, /\/no\/such\/file\.node: not found\n.*NAPI_RS_NATIVE_LIBRARY_PATH is set/);
  const found = await node(`console.log((await import("file://${dir}/index.mjs")).version)`, {
    env: { NAPI_RS_NATIVE_LIBRARY_PATH: join(packageRoot, addons[0]) },
  });
  assert.match(found.stdout, /^\d+\.\d+\.\d+\n$/);
});
