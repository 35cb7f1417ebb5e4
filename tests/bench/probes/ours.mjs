// The engine from Node. Figures are nanoseconds unless a case says otherwise.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { awaited, ballast, batches, each, now, serve } from "./lines.mjs";

// Both are installed where the bench was set up, which is this process's working directory.
const require = createRequire(`${process.cwd()}/`);
const { Engine } = require("crosshook");
const crossing = require("./crossing_node.node");

const memo = (make) => {
  const made = new Map();
  return (key) => (made.has(key) ? made.get(key) : made.set(key, make(key)).get(key));
};
const json = memo((path) => JSON.parse(readFileSync(path, "utf8")));
const engine = memo((options) => new Engine(json(options)));

/** A benchmark of hooks that failed would measure nothing. */
function expect(outcome, status) {
  if (outcome.hooks.length === 0 || outcome.hooks.some((hook) => hook.status !== status)) {
    throw new Error(`not every hook ended with ${status}: ${JSON.stringify(outcome)}`);
  }
}

/** Hooks that run, awaited. */
async function dispatch(n, options, event, status) {
  const figures = [];
  for (let i = 0; i < n; i++) {
    const begun = now();
    const outcome = await engine(options).dispatch(json(event));
    figures.push(now() - begun);
    expect(outcome, status);
  }
  return figures;
}

/** An object for which nothing is selected. */
function quiet(n, options, event) {
  const [one, given] = [engine(options), json(event)];
  if (one.dispatchSync(given).hooks.length > 0) throw new Error("something matched");
  return batches(n, () => one.dispatchSync(given));
}

function quiet_await(n, options, event) {
  const [one, given] = [engine(options), json(event)];
  return awaited(n, () => one.dispatch(given));
}

/** The synchronous call inside an async function of JavaScript's own. */
function quiet_async(n, options, event) {
  const [one, given] = [engine(options), json(event)];
  return awaited(n, async () => one.dispatchSync(given));
}

const stringify = (n, event) => batches(n, () => JSON.stringify(json(event)));

/** The function that stands for a host's own hook: no opinion. */
const observe = () => undefined;

const functionEngine = memo((options) => {
  const one = new Engine(json(options));
  one.hook("PreToolUse", { matcher: "Write" }, observe);
  return one;
});

/** A function of the host as a hook. */
function host_function(n, options, event) {
  const [one, given] = [functionEngine(options), json(event)];
  expect(one.dispatchSync(given), "ok");
  return batches(n, () => one.dispatchSync(given));
}

/** The same function called from Rust with nothing around it. */
function function_bare(n, event) {
  const given = json(event);
  return batches(n, () => crossing.call(observe, given));
}

const kilobytes = (key) => Number(readFileSync("/proc/self/status", "utf8").match(new RegExp(`${key}\\s+(\\d+)`))[1]);

/** Peak resident memory of one dispatch above that before the event was read, in multiples of the event. */
async function memory(_, options, path) {
  const one = engine(options);
  const small = { hook_event_name: "PreToolUse", cwd: "/", tool_name: "Write", tool_input: {} };
  expect(await one.dispatch(small), "ok");
  writeFileSync("/proc/self/clear_refs", "5");
  const before = kilobytes("VmRSS:");
  const event = readFileSync(path);
  const outcome = JSON.parse(await one.dispatch(event));
  expect(outcome, "ok");
  return [((kilobytes("VmHWM:") - before) * 1024) / event.length];
}

await serve({
  ballast, dispatch, quiet, quiet_await, quiet_async, stringify, host_function, function_bare, memory,
  make: (n, options) => each(n, () => new Engine(json(options))),
});
