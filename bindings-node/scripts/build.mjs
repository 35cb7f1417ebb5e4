// Builds the native addon with cargo and puts it beside index.cjs as crosshook.<target>.node.
//
// usage: node scripts/build.mjs [--debug] [--target TRIPLE] [--zig GLIBC] [--features LIST] [--out FILE]
// Needs Rust and nothing from npm. --zig links with cargo-zigbuild, for the target with this version of glibc (2.28) or, for
// musl, with none ("").
import { spawnSync } from "node:child_process";
import { copyFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    debug: { type: "boolean", default: false },
    target: { type: "string" },
    zig: { type: "string" },
    features: { type: "string" },
    out: { type: "string" },
  },
});

const zig = options.zig !== undefined;
const args = [zig ? "zigbuild" : "build", "--locked", "--message-format=json-render-diagnostics"];
if (!options.debug) args.push("--release");
if (options.target) args.push("--target", options.zig ? `${options.target}.${options.zig}` : options.target);
if (options.features) args.push("--features", options.features);

const cargo = spawnSync("cargo", args, {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 64 << 20,
  stdio: ["ignore", "pipe", "inherit"],
});
if (cargo.error) throw new Error(`cargo cannot be started: ${cargo.error.message}; is Rust installed?`);
if (cargo.status !== 0) process.exit(cargo.status ?? 1);

const artifact = cargo.stdout
  .split("\n")
  .filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line))
  .find((message) => message.reason === "compiler-artifact" && message.target.name === "crosshook_node");
const library = artifact?.filenames.find((name) => /\.(so|dylib|dll)$/.test(name));
if (!library) throw new Error("cargo did not say where it put the library of crosshook-node");

const out = options.out ?? join(root, `crosshook.${targetName(options.target ?? hostTriple())}.node`);
// A new file under the old name: writing into a library that a process has loaded would crash it.
copyFileSync(library, `${out}.new`);
renameSync(`${out}.new`, out);
console.log(out);

function hostTriple() {
  const { stdout } = spawnSync("rustc", ["-vV"], { encoding: "utf8" });
  return /^host: (.*)$/m.exec(stdout)[1];
}

/** `x86_64-unknown-linux-gnu` as native.cjs names it: `linux-x64-gnu`. */
function targetName(triple) {
  const arch = { x86_64: "x64", aarch64: "arm64" }[triple.split("-")[0]];
  const system = [
    [/-linux-(gnu|musl)$/, (abi) => `linux-${arch}-${abi}`],
    [/-apple-darwin$/, () => `darwin-${arch}`],
    [/-windows-(msvc|gnu)/, (abi) => `win32-${arch}-${abi}`],
  ].find(([pattern]) => pattern.test(triple));
  if (!arch || !system) throw new Error(`no name for the target ${triple}: add it here and in native.cjs`);
  return system[1](system[0].exec(triple)[1]);
}
