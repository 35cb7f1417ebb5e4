// What the Node hosts share. A host ends with 0 when everything held, with an exception when not.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The package, as an address that any script can import. */
export const entry = new URL("../../bindings-node/index.mjs", import.meta.url).href;
const { Engine } = await import(entry);

export const event = { hook_event_name: "PreToolUse", session_id: "s", cwd: "/", tool_name: "Bash", tool_input: { command: "ls" } };
/** An event that no hook of {@link engine} matches. */
export const other = { ...event, tool_name: "Read", tool_input: { file_path: "/etc/hosts" } };

/** An engine with this hook for the tool Bash, and its time limit in seconds. */
export const engine = (command, timeout = 60) =>
  new Engine({
    dialect: "codebuddy",
    settings: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command, timeout }] }] } },
  });

/** How often a test is repeated: fewer times where CROSSHOOK_ROUNDS says so. */
export const rounds = (usual) => Math.min(usual, Number(process.env.CROSSHOOK_ROUNDS ?? usual));

/** A path below a fresh folder that goes with this process. */
export function scratch(name) {
  const folder = mkdtempSync(join(tmpdir(), "crosshook-hosts-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** A command that runs for a minute with a child of its own, and writes the process ids of both into `file`. */
export const longHook = (file) => `sleep 60 & echo "$$ $!" > ${file}.new; mv ${file}.new ${file}; wait`;

/** Waits until the processes of a {@link longHook} run, and returns their ids. */
export async function pidsIn(file) {
  await until(() => existsSync(file), file);
  return readFileSync(file, "utf8").trim().split(" ").map(Number);
}

/** Whether a process lives. One that is dead and not yet reaped does not. */
export function alive(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

export const gone = (pids) => until(() => !pids.some(alive), `the end of ${pids}`);

export async function until(holds, what) {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(10)) if (await holds()) return;
  throw new Error(`waited in vain for ${what}`);
}

/** Runs `code` as a module in a new Node, with all of this file imported, and tells how it ended. */
export async function node(code) {
  const script = `import * as host from ${JSON.stringify(import.meta.url)};
    const { engine, event, pidsIn } = host;\n${code}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const name of Object.keys(said)) child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const [exit, signal] = await new Promise((resolve) => child.on("close", (...how) => resolve(how)));
  clearTimeout(timer);
  return { exit, signal, ...said };
}
