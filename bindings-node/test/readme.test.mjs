// The examples of README.md run, and print what the README says they print.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { node, packageRoot } from "./helpers.mjs";

const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```\n\n```text\n(.*?)```/gs)];

assert.ok(examples.length > 0, "README.md has no example with its output");
for (const [index, [, code, output]] of examples.entries()) {
  test(`example ${index + 1}`, async () => {
    const end = await node(code, { cwd: packageRoot });
    assert.equal(end.stderr, "");
    assert.equal(end.stdout, output);
    assert.equal(end.code, 0);
  });
}
