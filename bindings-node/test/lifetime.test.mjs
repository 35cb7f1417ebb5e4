// The end of a process and of a worker, in whatever state it comes.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { Engine } from "crosshook";
import { alive, bash, denial, gone, longHook, node, packageRoot, pidsIn, qwen, tempDir, until } from "./helpers.mjs";

const fixture = join(packageRoot, "test", "fixtures", "worker.mjs");

const prelude = (options) => `
  import { Engine } from "file://$ENTRY";
  const engine = new Engine(${JSON.stringify(options)});
  const event = ${JSON.stringify(bash("ls"))};
`;

/** Runs a process whose hook is in the middle when `code` ends it, and asserts that nothing of the hook is left. */
async function leavesNothing(t, code, exitCode, prefix = "") {
  const file = join(tempDir(t), "pids");
  const options = qwen("PreToolUse", prefix + longHook(file));
  const end = await node(`${prelude(options)}
    import { existsSync } from "node:fs";
    import { Worker } from "node:worker_threads";
    const work = (call) => new Worker(new URL("file://${fixture}"), {
      execArgv: [],
      workerData: { options: ${JSON.stringify(options)}, event, call },
    });
    const started = async () => {
      while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    ${code}`);
  assert.deepEqual([end.code, end.signal], [exitCode, null], end.stderr);
  const pids = await pidsIn(file);
  assert.equal(pids.length, 2);
  // They have been killed; that they are gone may take the system a moment.
  await gone(pids, 1000);
  return end;
}

test("an idle engine does not keep the process alive", async () => {
  const end = await node(`${prelude(qwen("PreToolUse", denial("x")))}
    const outcome = await engine.dispatch(event);
    const { decision } = engine.dispatchSync(event);
    console.log(outcome.decision, decision);`);
  assert.deepEqual([end.code, end.stdout, end.stderr], [0, "deny deny\n", ""]);
  assert.ok(end.ms < 5000, `took ${end.ms} ms`);
});

test("a pending dispatch does", async () => {
  const end = await node(`${prelude(qwen("PreToolUse", "sleep 0.5; exit 2"))}
    engine.dispatch(event).then(({ decision }) => console.log(decision));`);
  assert.deepEqual([end.code, end.stdout, end.stderr], [0, "deny\n", ""]);
});

test("process.exit() in the middle", async (t) => {
  const end = await leavesNothing(t, "engine.dispatch(event); await started(); process.exit(3);", 3);
  assert.equal(end.stderr, "");
});

test("process.exit() with a hook that ignores SIGTERM", async (t) => {
  const end = await leavesNothing(t, "engine.dispatch(event); await started(); process.exit(3);", 3, "trap '' TERM; ");
  assert.ok(end.ms < 8000, `took ${end.ms} ms`);
});

test("process.exit() right after an abort, with a hook that ignores SIGTERM", async (t) => {
  const abort = `const controller = new AbortController();
    const pending = engine.dispatch(event, { signal: controller.signal });
    await started();
    controller.abort();
    await pending.catch(({ code }) => console.log(code));
    process.exit(3);`;
  assert.equal((await leavesNothing(t, abort, 3, "trap '' TERM; ")).stdout, "cancelled\n");
});

test("process.exit() with a signal, a second engine and a closed one", async (t) => {
  await leavesNothing(
    t,
    `const signal = new AbortController().signal;
     engine.dispatch(event, { signal });
     await started();
     new Engine({ dialect: "qwen", settings: {} });
     engine.close();
     process.exit(4);`,
    4,
  );
});

test("an uncaught exception in the middle", async (t) => {
  const end = await leavesNothing(t, "engine.dispatch(event); await started(); throw new Error('boom');", 1);
  assert.match(end.stderr, /boom/);
});

test("a dispatch in an exit listener", async () => {
  const end = await node(`${prelude(qwen("PreToolUse", denial("x")))}
    process.on("exit", () => console.log(engine.dispatchSync(event).decision));
    await engine.dispatch(event);`);
  assert.deepEqual([end.code, end.stdout, end.stderr], [0, "deny\n", ""]);
});

for (const call of ["dispatch", "dispatchSync"]) {
  test(`process.exit() while a worker is in ${call}`, async (t) => {
    await leavesNothing(t, `work("${call}"); await started(); process.exit(5);`, 5);
  });
}

test("a worker that is terminated by a main thread which has no engine running", async (t) => {
  const end = await leavesNothing(
    t,
    `const worker = work("dispatch");
     await started();
     console.log(await worker.terminate());`,
    0,
  );
  assert.equal(end.stdout, "1\n");
});

test("a worker dispatches like the main thread", async () => {
  for (const call of ["dispatch", "dispatchSync"]) {
    const worker = work(call, qwen("PreToolUse", denial("x")));
    const [[decision], [code]] = await Promise.all([once(worker, "message"), once(worker, "exit")]);
    assert.deepEqual([decision, code], ["deny", 0]);
  }
});

test("terminating a worker ends its hooks and leaves those of others alone", async (t) => {
  const dir = tempDir(t);
  const own = new Engine(qwen("PreToolUse", `${longHook(join(dir, "own"))}`));
  const controller = new AbortController();
  const pending = own.dispatch(bash("ls"), { signal: controller.signal }).catch((error) => error);
  const ownPids = await pidsIn(join(dir, "own"));
  const workers = [1, 2, 3].map((n) => work("dispatch", qwen("PreToolUse", longHook(join(dir, `worker-${n}`)))));
  for (const [n, worker] of workers.entries()) {
    const pids = await pidsIn(join(dir, `worker-${n + 1}`));
    await worker.terminate();
    await gone(pids);
  }
  assert.deepEqual(ownPids.map(alive), [true, true]);
  controller.abort();
  assert.equal((await pending).outcome.hooks[0].status, "cancelled");
  assert.equal((await new Engine(qwen("PreToolUse", denial("x"))).dispatch(bash("ls"))).decision, "deny");
});

test("an addon that only workers load comes and goes", async () => {
  const end = await node(`
    import { once } from "node:events";
    import { Worker } from "node:worker_threads";
    const workerData = { options: ${JSON.stringify(qwen("PreToolUse", denial("x")))}, event: ${JSON.stringify(bash("ls"))}, call: "dispatch" };
    for (let round = 0; round < 10; round++) {
      const worker = new Worker(new URL("file://${fixture}"), { workerData, execArgv: [] });
      const exit = once(worker, "exit");
      const [decision] = await once(worker, "message");
      if (decision !== "deny") throw new Error(decision);
      if (round % 2) worker.terminate();
      await exit;
    }`);
  assert.deepEqual([end.code, end.signal, end.stderr], [0, null, ""]);
});

test("a thousand engines and dispatches leave no descriptor and no thread", { skip: process.platform !== "linux" }, async () => {
  const count = (what) => readdirSync(`/proc/self/${what}`).length;
  const burst = async (n) => {
    for (let i = 0; i < n; i += 20) {
      const engines = Array.from({ length: 20 }, () => new Engine(qwen("PreToolUse", "exit 2")));
      const outcomes = await Promise.all(engines.map((engine) => engine.dispatch(bash("ls"))));
      assert.ok(outcomes.every(({ decision }) => decision === "deny"));
    }
  };
  await burst(40);
  const before = [count("fd"), count("task")];
  await burst(1000);
  await until(() => count("fd") <= before[0] && count("task") <= before[1], "descriptors and threads to be given back");
});

function work(call, options) {
  return new Worker(fixture, { workerData: { options, event: bash("ls"), call } });
}
