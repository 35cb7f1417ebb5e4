// Makes the packages of a release from built addons, ready for `npm publish`:
//
//     OUT/crosshook              the package itself, without an addon; the others are its optional dependencies
//     OUT/<platform>             @crosshook/<platform>, the addon for one platform, which npm installs only there
//
// usage: node scripts/packages.mjs OUT ADDON.node...      each addon is named crosshook.<platform>.node, as build.mjs does
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { version, license, engines } = manifest;
const LICENCES = ["LICENSE-MIT", "LICENSE-APACHE"];

/** What npm compares with the machine. The names are those of native.cjs. */
function machine(platform) {
  const [os, cpu, abi] = platform.split("-");
  const libc = { gnu: "glibc", musl: "musl" }[abi];
  return { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) };
}

function write(folder, content, files) {
  mkdirSync(folder, { recursive: true });
  for (const name of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(root, name), join(folder, name), { recursive: true, dereference: true });
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
}

const [out, ...addons] = process.argv.slice(2);
if (!out || addons.length === 0) throw new Error("usage: packages.mjs OUT ADDON.node...");
const optionalDependencies = {};
for (const addon of addons) {
  const platform = /^crosshook\.(.+)\.node$/.exec(basename(addon))?.[1];
  if (!platform) throw new Error(`${addon}: is not named crosshook.<platform>.node`);
  const name = `@crosshook/${platform}`;
  const main = `crosshook.${platform}.node`;
  const description = `The native part of crosshook for ${platform}.`;
  write(join(out, platform), { name, version, description, license, engines, main, files: [main, ...LICENCES], ...machine(platform) }, LICENCES);
  copyFileSync(addon, join(out, platform, main));
  optionalDependencies[name] = version;
}
const { devDependencies, scripts, ...published } = manifest;
published.files = manifest.files.filter((name) => !name.endsWith(".node"));
write(join(out, manifest.name), { ...published, optionalDependencies }, [...published.files, "README.md", ...LICENCES]);
