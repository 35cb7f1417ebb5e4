// A release's packages: one for all platforms, and the addon in a package of its own, which npm installs where it fits.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { packageRoot, tempDir } from "./helpers.mjs";

const addon = readdirSync(packageRoot).find((name) => /^crosshook\..*\.node$/.test(name));
const platform = addon.slice("crosshook.".length, -".node".length);
const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Packs a folder and returns the file, and the names in it. */
function pack(folder, dir) {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", dir], folder));
  return { file: join(dir, packed.filename), names: packed.files.map(({ path }) => path).sort() };
}

test("the packages of a release work together, in an empty folder", (t) => {
  const dir = tempDir(t);
  const out = join(dir, "out");
  run(process.execPath, [join(packageRoot, "scripts", "packages.mjs"), out, join(packageRoot, addon)]);
  const native = pack(join(out, platform), dir);
  assert.deepEqual(native.names, ["LICENSE-APACHE", "LICENSE-MIT", addon, "package.json"].sort());
  const manifest = JSON.parse(readFileSync(join(out, "crosshook", "package.json"), "utf8"));
  assert.deepEqual(manifest.optionalDependencies, { [`@crosshook/${platform}`]: manifest.version });
  assert.deepEqual([manifest.devDependencies, manifest.scripts], [undefined, undefined]);

  // No registry here: the optional package is named by its file.
  manifest.optionalDependencies = { [`@crosshook/${platform}`]: `file:${native.file}` };
  writeFileSync(join(out, "crosshook", "package.json"), JSON.stringify(manifest));
  const main = pack(join(out, "crosshook"), dir);
  assert.ok(main.names.includes("LICENSE-MIT") && main.names.includes("native.cjs"), main.names.join());
  assert.deepEqual(main.names.filter((name) => name.endsWith(".node")), []);

  const use = join(dir, "use");
  mkdirSync(use);
  writeFileSync(join(use, "package.json"), "{}");
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", main.file], use);
  writeFileSync(join(use, "use.mjs"), `import { version } from "crosshook"; console.log(version);`);
  assert.equal(run(process.execPath, ["use.mjs"], use), `${manifest.version}\n`);

  run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--omit=optional", main.file], use);
  assert.throws(() => run(process.execPath, ["use.mjs"], use), new RegExp(`@crosshook/${platform}: not found.*--omit=optional`, "s"));
});
