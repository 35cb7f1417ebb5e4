// The hooks of Gemini CLI, from its own package: plan, run and aggregate, as its HookSystem does for one event.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { ballast, each, now, serve } from "./lines.mjs";

console.debug = () => {};
const inside = (name) =>
  import(pathToFileURL(`${process.cwd()}/node_modules/@google/gemini-cli-core/dist/src/hooks/${name}.js`));
const { HookRunner } = await inside("hookRunner");
const { HookAggregator } = await inside("hookAggregator");
const { HookPlanner } = await inside("hookPlanner");
const { HookRegistry } = await inside("hookRegistry");

const config = { isTrustedFolder: () => true, sanitizationConfig: {}, storage: { getPlansDir: () => "/tmp" } };
const runner = new HookRunner(config);
const aggregator = new HookAggregator();
const EVENT = "BeforeTool";

function planner(commands, matchers, timeout) {
  const registry = new HookRegistry(config);
  commands.forEach((command, i) => {
    const hook = { type: "command", name: `hook ${i}`, command, timeout };
    registry.registerHook(hook, EVENT, { matcher: matchers[i], source: "user" });
  });
  return new HookPlanner(registry);
}

const events = new Map();
function input(path) {
  if (!events.has(path)) {
    events.set(path, { ...JSON.parse(readFileSync(path, "utf8")), hook_event_name: EVENT, timestamp: new Date().toISOString() });
  }
  return events.get(path);
}

async function hooks(n, status, timeout, path, ...commands) {
  const plans = planner(commands, commands.map(() => "Write|Edit"), Number(timeout));
  const figures = [];
  for (let i = 0; i < n; i++) {
    const event = input(path);
    const begun = now();
    const plan = plans.createExecutionPlan(EVENT, { toolName: event.tool_name });
    const results = await runner.executeHooksParallel(plan.hookConfigs, EVENT, event);
    aggregator.aggregateResults(results, EVENT);
    figures.push(now() - begun);
    const good = results.length === commands.length && results.every(({ success }) => success === (status === "ok"));
    if (!good) throw new Error(`not every hook ended with ${status}: ${JSON.stringify(results[0])}`);
  }
  return figures;
}

const planners = new Map();
/** Planning alone, for a tool that no matcher of the file (one a line) matches. */
function plan(n, patterns) {
  if (!planners.has(patterns)) {
    const matchers = readFileSync(patterns, "utf8").trimEnd().split("\n");
    planners.set(patterns, planner(matchers.map((_, i) => `true ${i}`), matchers, 60_000));
  }
  const plans = planners.get(patterns);
  return each(n, () => {
    if (plans.createExecutionPlan(EVENT, { toolName: "Absent" })?.hookConfigs.length > 0) throw new Error("something matched");
  });
}

await serve({ ballast, hooks, plan });
