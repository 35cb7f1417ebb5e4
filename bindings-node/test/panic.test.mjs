// A panic in the native half never ends the host. Needs `npm run build:probe`, an addon that panics on demand.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { bash, denial, node, packageRoot, qwen } from "./helpers.mjs";

const addon = join(packageRoot, "probe.node");
const skip = existsSync(addon) ? false : "probe.node is not built";

/** Runs `code` with the probing addon; it prints what it wants to be compared with `expected`. */
async function probe(code, expected) {
  const end = await node(
    `import { Engine, CrosshookError } from "file://$ENTRY";
    const engine = new Engine(${JSON.stringify(qwen("PreToolUse", denial("fine")))});
    const event = ${JSON.stringify(bash("ls"))};
    const show = (error) => console.log(error instanceof CrosshookError, error.name, error.code, error.message);
    ${code}
    console.log(engine.dispatchSync(event).reason, (await engine.dispatch(event)).reason);`,
    { env: { NAPI_RS_NATIVE_LIBRARY_PATH: addon } },
  );
  assert.equal(end.code, 0, end.stderr);
  assert.equal(end.stdout, `${expected}\nfine fine\n`);
}

const defect = (what) => `true CrosshookError internal ${what}; treat the event as denied`;
const noOutcome = defect("the dispatch ended without an outcome (a defect in Crosshook)");

test("in a synchronous call", { skip }, () =>
  probe(
    `import { createRequire } from "node:module";
    const { guarded } = createRequire("$ENTRY")("./errors.cjs");
    const native = createRequire("$ENTRY")(process.env.NAPI_RS_NATIVE_LIBRARY_PATH);
    try { guarded(() => native.probePanic()); } catch (error) { show(error); }`,
    defect("a defect in Crosshook: probe-sync"),
  ));

test("while a dispatch starts", { skip }, () =>
  probe(`await engine.dispatch({ ...event, x: "probe-start" }).catch(show);`, noOutcome));

test("while a dispatch ends", { skip }, () =>
  probe(`await engine.dispatch(JSON.stringify({ hook_event_name: "probe-done" })).catch(show);`, noOutcome));
