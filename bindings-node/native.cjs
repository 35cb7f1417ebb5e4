"use strict";
// Loads the native addon. Every path is a literal `require`, so that bundlers (esbuild, Bun) see and can embed it.
//
// Nothing is thrown here: when a CommonJS module throws while an ES module imports it, Node (nodejs/node#51603) also
// raises an uncaught exception, and a host that wants to do without the package could not. index.mjs and index.cjs throw.

const OVERRIDE = "NAPI_RS_NATIVE_LIBRARY_PATH";

function candidates() {
  switch (`${process.platform}-${process.arch}`) {
    case "linux-x64":
      return [
        ["./crosshook.linux-x64-gnu.node", () => require("./crosshook.linux-x64-gnu.node")],
        ["./crosshook.linux-x64-musl.node", () => require("./crosshook.linux-x64-musl.node")],
      ];
    case "linux-arm64":
      return [
        ["./crosshook.linux-arm64-gnu.node", () => require("./crosshook.linux-arm64-gnu.node")],
        ["./crosshook.linux-arm64-musl.node", () => require("./crosshook.linux-arm64-musl.node")],
      ];
    case "darwin-x64":
      return [["./crosshook.darwin-x64.node", () => require("./crosshook.darwin-x64.node")]];
    case "darwin-arm64":
      return [["./crosshook.darwin-arm64.node", () => require("./crosshook.darwin-arm64.node")]];
    case "win32-x64":
      return [["./crosshook.win32-x64-msvc.node", () => require("./crosshook.win32-x64-msvc.node")]];
    case "win32-arm64":
      return [["./crosshook.win32-arm64-msvc.node", () => require("./crosshook.win32-arm64-msvc.node")]];
    default:
      return [];
  }
}

function load() {
  const override = process.env[OVERRIDE];
  const files = override ? [[override, () => require(override)]] : candidates();
  const faults = [];
  for (const [file, open] of files) {
    try {
      return { addon: open(), fault: null };
    } catch (error) {
      faults.push({ file, error });
    }
  }
  return { addon: null, fault: failure(override, faults) };
}

function failure(override, faults) {
  // A file that is there and does not load is the real cause; one that is missing is the rule.
  const missing = (fault) => fault.error?.code === "MODULE_NOT_FOUND";
  const cause = (faults.find((fault) => !missing(fault)) ?? faults[0])?.error;
  const lines = [`crosshook: no native addon for ${process.platform}-${process.arch}, Node ${process.version}.`];
  for (const { file, error } of faults) {
    lines.push(`  ${file}: ${missing({ error }) ? "not found" : error?.message ?? error}`);
  }
  if (faults.length === 0) lines.push("  This system is not among those the package knows.");
  if (override) lines.push(`  ${OVERRIDE} is set, so nothing else was tried.`);
  else if (faults.every(missing)) lines.push("  Build it with `npm run build` in bindings-node of the sources (needs Rust).");
  return Object.assign(new Error(lines.join("\n"), { cause }), { code: "ERR_CROSSHOOK_NATIVE" });
}

module.exports = load();
