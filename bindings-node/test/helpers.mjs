// What the tests share: temporary folders, settings, hooks that can be watched from outside.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)));
export const entry = join(packageRoot, "index.mjs");

/** A fresh folder that goes with the test `t`. */
export function tempDir(t) {
  const path = mkdtempSync(join(tmpdir(), "crosshook-node-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Options of a Qwen engine with these commands for `event`; nothing is looked up on this machine. */
export function qwen(event, ...commands) {
  const hooks = commands.map((command) => ({ type: "command", command, timeout: 30 }));
  return { dialect: "qwen", settings: { hooks: { [event]: [{ hooks }] } } };
}

/** A command that prints `answer` as JSON. */
export const answer = (value) => `printf '%s' '${JSON.stringify(value)}'`;

export const denial = (reason) =>
  answer({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason },
  });

export const bash = (command) => ({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } });

/** A command that runs for a minute with a child of its own, and writes the process ids of both into `file`. */
export const longHook = (file) => `sleep 60 & echo "$$ $!" > ${file}.new; mv ${file}.new ${file}; wait`;

/** Waits for the file a {@link longHook} writes and returns the process ids. */
export async function pidsIn(file) {
  await until(() => existsSync(file), `${file} to appear`);
  return readFileSync(file, "utf8").trim().split(" ").map(Number);
}

/** Whether a process lives. One that is dead and not yet reaped does not. */
export function alive(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return process.platform !== "linux";
  }
}

/** Asserts that the processes end. The polite dialects leave them two seconds between SIGTERM and SIGKILL. */
export const gone = (pids, ms = 4000) => until(() => !pids.some(alive), `the end of the processes ${pids}`, ms);

export async function until(holds, what, ms = 10_000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(10)) if (await holds()) return;
  throw new Error(`waited ${ms} ms in vain for ${what}`);
}

/** Runs `code` as an ES module in a new Node and waits for its end. `$ENTRY` in it is the package. */
export async function node(code, { env = {}, cwd, limit = 20_000 } = {}) {
  const script = code.replaceAll("$ENTRY", entry);
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const started = performance.now();
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (output[name] += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), limit);
  const [code_, signal] = await new Promise((resolve) => child.on("exit", (...how) => resolve(how)));
  clearTimeout(timer);
  return { code: code_, signal, ms: performance.now() - started, ...output };
}
