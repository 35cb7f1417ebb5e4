// Hooks of several dialects, and a host with its own names of tools.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Engine } from "crosshook";
import { answer, tempDir } from "./helpers.mjs";

const call = {
  hook_event_name: "PreToolUse",
  session_id: "s",
  cwd: "/",
  tool_name: "execute",
  tool_input: { cmd: "ls", x: 1 },
};

test("a hook reads its own dialect, and the host its own names", async (t) => {
  const file = join(tempDir(t), "seen");
  const rewrite = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "pwd", x: 2 } } };
  const hooks = [{ type: "command", command: `cat > '${file}'; ${answer(rewrite)}` }];
  const engine = new Engine({
    dialect: "qwen",
    settings: [{ dialect: "claude", settings: { hooks: { PreToolUse: [{ matcher: "^Bash$", hooks }] } } }],
    tools: { execute: { name: "run_shell_command", arguments: { cmd: "command" } }, look: "read_file" },
  });
  const outcome = await engine.dispatch(call);
  assert.deepEqual(outcome.updated_input, { cmd: "pwd", x: 2 });
  const seen = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual([seen.tool_name, seen.tool_input], ["Bash", { command: "ls", x: 1 }]);
  const [why] = engine.explain(call);
  assert.deepEqual([why.dialect, why.runs], ["claude", true]);
  assert.equal(why.why, "`^Bash$` matches `Bash` (run_shell_command in Qwen Code)");
  // What fires nothing is told from the fields alone, by the same names.
  const other = engine.dispatchSync({ ...call, tool_name: "look" });
  assert.deepEqual([other.decision, other.hooks], ["none", []]);
});

test("the files of other dialects are looked up", async (t) => {
  const project = tempDir(t);
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "echo from claude >&2; exit 2" }] }] };
  mkdirSync(join(project, ".claude"));
  writeFileSync(join(project, ".claude", "settings.json"), JSON.stringify({ hooks }));
  const engine = new Engine({ dialect: "qwen", dialects: ["claude"], home: join(project, "none"), projectDir: project });
  const outcome = await engine.dispatch({ hook_event_name: "Stop", session_id: "s", cwd: "/" });
  assert.deepEqual([outcome.decision, outcome.reason], ["block", "from claude"]);
});

test("names that cannot be meant are refused", () => {
  const made = (options) => () => new Engine({ dialect: "qwen", ...options });
  assert.throws(made({ tools: { execute: 7 } }), /a tool is the dialect's name/);
  assert.throws(made({ dialects: ["clod"] }), /there is no dialect "clod"/);
});
