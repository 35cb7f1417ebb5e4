"use strict";
// Loads the native addon: a file beside this one, as `npm run build` makes it, or the optional package for this platform
// that a release brings (scripts/packages.mjs). Every path is a literal `require`, so that bundlers (esbuild, Bun) see and
// can embed it.
//
// Nothing is thrown here: when a CommonJS module throws while an ES module imports it, Node (nodejs/node#51603) also
// raises an uncaught exception, and a host that wants to do without the package could not. index.mjs and index.cjs throw.

const OVERRIDE = "NAPI_RS_NATIVE_LIBRARY_PATH";

/** The addon, or null after every attempt has been noted in `faults`. Bundlers let a file be missing inside `try` only. */
function attempt(faults) {
  switch (`${process.platform}-${process.arch}`) {
    case "linux-x64":
      try {
        return require("./crosshook.linux-x64-gnu.node");
      } catch (error) {
        faults.push({ file: "./crosshook.linux-x64-gnu.node", error });
      }
      try {
        return require("@crosshook/linux-x64-gnu");
      } catch (error) {
        faults.push({ file: "@crosshook/linux-x64-gnu", error });
      }
      try {
        return require("./crosshook.linux-x64-musl.node");
      } catch (error) {
        faults.push({ file: "./crosshook.linux-x64-musl.node", error });
      }
      try {
        return require("@crosshook/linux-x64-musl");
      } catch (error) {
        faults.push({ file: "@crosshook/linux-x64-musl", error });
      }
      return null;
    case "linux-arm64":
      try {
        return require("./crosshook.linux-arm64-gnu.node");
      } catch (error) {
        faults.push({ file: "./crosshook.linux-arm64-gnu.node", error });
      }
      try {
        return require("@crosshook/linux-arm64-gnu");
      } catch (error) {
        faults.push({ file: "@crosshook/linux-arm64-gnu", error });
      }
      try {
        return require("./crosshook.linux-arm64-musl.node");
      } catch (error) {
        faults.push({ file: "./crosshook.linux-arm64-musl.node", error });
      }
      try {
        return require("@crosshook/linux-arm64-musl");
      } catch (error) {
        faults.push({ file: "@crosshook/linux-arm64-musl", error });
      }
      return null;
    case "darwin-x64":
      try {
        return require("./crosshook.darwin-x64.node");
      } catch (error) {
        faults.push({ file: "./crosshook.darwin-x64.node", error });
      }
      try {
        return require("@crosshook/darwin-x64");
      } catch (error) {
        faults.push({ file: "@crosshook/darwin-x64", error });
      }
      return null;
    case "darwin-arm64":
      try {
        return require("./crosshook.darwin-arm64.node");
      } catch (error) {
        faults.push({ file: "./crosshook.darwin-arm64.node", error });
      }
      try {
        return require("@crosshook/darwin-arm64");
      } catch (error) {
        faults.push({ file: "@crosshook/darwin-arm64", error });
      }
      return null;
    case "win32-x64":
      try {
        return require("./crosshook.win32-x64-msvc.node");
      } catch (error) {
        faults.push({ file: "./crosshook.win32-x64-msvc.node", error });
      }
      try {
        return require("@crosshook/win32-x64-msvc");
      } catch (error) {
        faults.push({ file: "@crosshook/win32-x64-msvc", error });
      }
      return null;
    case "win32-arm64":
      try {
        return require("./crosshook.win32-arm64-msvc.node");
      } catch (error) {
        faults.push({ file: "./crosshook.win32-arm64-msvc.node", error });
      }
      try {
        return require("@crosshook/win32-arm64-msvc");
      } catch (error) {
        faults.push({ file: "@crosshook/win32-arm64-msvc", error });
      }
      return null;
    default:
      return null;
  }
}

function attemptOverride(file, faults) {
  try {
    return require(file);
  } catch (error) {
    faults.push({ file, error });
    return null;
  }
}

function load() {
  const override = process.env[OVERRIDE];
  const faults = [];
  const addon = override ? attemptOverride(override, faults) : attempt(faults);
  return addon ? { addon, fault: null } : { addon: null, fault: failure(override, faults) };
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
  else if (faults.every(missing)) {
    lines.push("  From the registry: install again, and not with --omit=optional, which leaves the native package out.");
    lines.push("  From the sources: `npm run build` in bindings-node (needs Rust).");
  }
  return Object.assign(new Error(lines.join("\n"), { cause }), { code: "ERR_CROSSHOOK_NATIVE" });
}

module.exports = load();
