// The end of a process, a worker and an engine while functions of the host are involved.
import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { Engine } from "crosshook";
import { gone, longHook, node, pidsIn, qwen, tempDir } from "./helpers.mjs";

const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} };

const prelude = (entry, options = { dialect: "qwen", settings: {} }) => `
  import { Engine } from "${entry}";
  const engine = new Engine(${JSON.stringify(options)});
  const event = ${JSON.stringify(event)};
  const block = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
`;

/** Runs a process and asserts its exit code and output, that it wrote no error, and that it took less than `limit`. */
async function ends(code, { exit = 0, stdout = "", stderr = "", limit = 5000, options, env } = {}) {
  const end = await node(prelude("file://$ENTRY", options) + code, { env });
  assert.deepEqual([end.code, end.signal, end.stdout, end.stderr], [exit, null, stdout, stderr]);
  assert.ok(end.ms < limit, `took ${end.ms} ms`);
  return end;
}

test("registered functions and listeners do not keep the process alive", () =>
  ends(`
    engine.hook("PreToolUse", () => ({ systemMessage: "heard" }));
    engine.watch(() => {});
    console.log((await engine.dispatch(event)).system_messages, engine.dispatchSync(event).system_messages);`,
  { stdout: "[ 'heard' ] [ 'heard' ]\n" }));

test("a pending function keeps the process alive until it answers or its time is over", async () => {
  await ends(`
    engine.hook("PreToolUse", () => new Promise((resolve) => setTimeout(resolve, 200, { systemMessage: "late" }).unref()));
    setTimeout(() => {}, 300);
    engine.dispatch(event).then(({ system_messages }) => console.log(system_messages));`, { stdout: "[ 'late' ]\n" });
  await ends(`
    engine.hook("PreToolUse", { timeout: 200 }, () => new Promise(() => {}));
    engine.dispatch(event).then(({ hooks }) => console.log(hooks[0].status));`, { stdout: "timeout\n" });
});

for (const [call, start] of Object.entries({ dispatch: "engine.dispatch(event)", dispatchSync: "engine.dispatchSync(event)" })) {
  test(`process.exit() inside a function (${call})`, () =>
    ends(`engine.hook("PreToolUse", () => process.exit(3)); ${start};`, { exit: 3 }));

  test(`process.exit() inside a function, beside a command that ignores SIGTERM (${call})`, () =>
    ends(`engine.hook("PreToolUse", () => process.exit(3)); ${start};`, {
      exit: 3,
      limit: 8000,
      options: qwen("PreToolUse", "trap '' TERM; sleep 60"),
    }));
}

test("process.exit() with a pending function", () =>
  ends(`
    engine.hook("PreToolUse", { timeout: 60000 }, () => (setTimeout(() => process.exit(4), 20), new Promise(() => {})));
    engine.dispatch(event);`, { exit: 4 }));

test("process.exit() inside a listener", () =>
  ends(`engine.watch(() => process.exit(5)); engine.dispatch(event);`, { exit: 5, options: qwen("PreToolUse", "sleep 60") }));

test("an uncaught exception while a function is pending", async () => {
  const end = await node(`${prelude("file://$ENTRY")}
    engine.hook("PreToolUse", { timeout: 60000 }, () => (setTimeout(() => { throw new Error("boom"); }, 20), new Promise(() => {})));
    engine.dispatch(event);`);
  assert.deepEqual([end.code, end.signal], [1, null]);
  assert.match(end.stderr, /boom/);
  assert.ok(end.ms < 5000);
});

test("an engine that is closed on exit, with a pending function", () =>
  ends(`
    engine.hook("PreToolUse", { timeout: 60000 }, () => new Promise(() => {}));
    engine.dispatch(event).catch(({ code }) => console.log(code));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await engine.close();`, { stdout: "closed\n" }));

test("a function in an exit listener", () =>
  ends(`
    engine.hook("PreToolUse", () => ({ systemMessage: "at the end" }));
    process.on("exit", () => console.log(engine.dispatchSync(event).system_messages));
    await engine.dispatch(event);`, { stdout: "[ 'at the end' ]\n" }));

test("forgotten engines go, with functions that hold them", () =>
  ends(`
    let gone = 0;
    const registry = new FinalizationRegistry(() => gone++);
    const make = async () => {
      const one = new Engine({ dialect: "qwen", settings: {}, model: () => one.list() });
      one.hook("PreToolUse", () => void one.list());
      one.watch(() => one.list());
      registry.register(one, 0);
      await one.dispatch(event);
      one.dispatchSync(event);
    };
    for (let round = 0; round < 50; round++) await make();
    for (let round = 0; round < 50 && gone < 45; round++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    console.log(gone >= 45);`, { stdout: "true\n", env: { NODE_OPTIONS: "--expose-gc" } }));

test("an engine that is referred to by its running dispatch only", () =>
  ends(`
    const run = () => {
      const one = new Engine({ dialect: "qwen", settings: {} });
      one.hook("PreToolUse", async () => {
        for (let round = 0; round < 5; round++) {
          gc();
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return { systemMessage: "still here" };
      });
      return one.dispatch(event);
    };
    console.log((await run()).system_messages);`, { stdout: "[ 'still here' ]\n", env: { NODE_OPTIONS: "--expose-gc" } }));

/** A worker that tells when a function of its runs. */
function worker(body, options) {
  const source = prelude("crosshook", options).replace('"crosshook"', JSON.stringify(new URL("../index.mjs", import.meta.url).href));
  const text = `import { parentPort } from "node:worker_threads";\n${source}\n${body}`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`), { execArgv: [] });
}

/** Terminates a worker as soon as its function runs. */
async function terminated(body, options) {
  const one = worker(body, options);
  one.on("error", (error) => assert.fail(error));
  await once(one, "message");
  const start = performance.now();
  assert.equal(await one.terminate(), 1);
  const ms = performance.now() - start;
  assert.ok(ms < 4000, `terminating took ${ms} ms`);
}

test("a worker's functions answer as the main thread's do", async () => {
  const one = worker(`
    engine.hook("PreToolUse", async () => ({ systemMessage: "async" }));
    engine.hook("PreToolUse", () => ({ systemMessage: "sync" }));
    const { system_messages } = await engine.dispatch(event);
    parentPort.postMessage([...system_messages, engine.dispatchSync(event).system_messages[0]]);`);
  const [[messages], [code]] = await Promise.all([once(one, "message"), once(one, "exit")]);
  assert.deepEqual([messages, code], [["async", "sync", "sync"], 0]);
});

test("a worker that is terminated while a function is pending", () =>
  terminated(`
    engine.hook("PreToolUse", { timeout: 60000 }, () => (parentPort.postMessage(0), new Promise(() => {})));
    await engine.dispatch(event);`));

for (const [call, start] of Object.entries({ dispatch: "await engine.dispatch(event)", dispatchSync: "engine.dispatchSync(event)" })) {
  test(`a worker that is terminated inside a function (${call})`, () =>
    terminated(`
      engine.hook("PreToolUse", () => { parentPort.postMessage(0); for (;;); });
      engine.hook("PreToolUse", () => ({ systemMessage: "never" }));
      ${start};`));
}

test("a worker that is terminated while a function blocks natively", () =>
  terminated(`
    engine.hook("PreToolUse", () => { parentPort.postMessage(0); block(60000); });
    engine.dispatchSync(event);`));

test("workers that come and go in the middle of many calls", async () => {
  for (let round = 0; round < 10; round++) {
    await terminated(`
      engine.watch(() => {});
      engine.hook("PreToolUse", async () => {
        await new Promise(setImmediate);
        parentPort.postMessage(0);
      });
      for (;;) await Promise.all(Array.from({ length: 20 }, () => engine.dispatch(event)));`);
  }
});

test("a background hook ends with the worker that started it, and no other's does", async (t) => {
  const dir = tempDir(t);
  const background = (command) => {
    const options = qwen("PostToolUse", command);
    options.settings.hooks.PostToolUse[0].hooks[0].async = true;
    return options;
  };
  const after = { ...event, hook_event_name: "PostToolUse", tool_response: {} };
  const ours = new Engine(background("sleep 60"));
  await ours.dispatch(after);
  const file = join(dir, "pids");
  const one = worker(`
    import { existsSync } from "node:fs";
    await engine.dispatch(${JSON.stringify(after)});
    while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 5));`, background(longHook(file)));
  await once(one, "exit");
  await gone(await pidsIn(file));
  assert.equal(ours.background().length, 1);
  assert.equal(ours.cancelBackground(), 1);
  assert.equal(await ours.waitBackground({ timeout: 5000 }), true);
});
