// The example program prints what the tours of all languages print.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { packageRoot, tempDir } from "./helpers.mjs";

test("examples/tour.mjs", async (t) => {
  const wanted = readFileSync(join(packageRoot, "..", "tests", "examples", "tour.txt"), "utf8");
  const tour = join(packageRoot, "examples", "tour.mjs");
  // From another folder: the example finds its package by itself.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [tour], { cwd: tempDir(t), timeout: 60_000 });
  assert.equal(stderr, "");
  assert.equal(stdout, wanted);
});
