"use strict";
// Turns a function into a hook: a worker where the settings say so, a usual command hook everywhere else. Needs no addon.

const fs = require("node:fs");

const IS_WORKER = "CROSSHOOK_WORKER";
const NEWLINE = 10;

/** Thrown by a hook to say no. */
class Block extends Error {
  constructor(reason) {
    super(reason);
    this.name = "Block";
  }
}

function serve(hook) {
  if (typeof hook !== "function") throw new TypeError("serve() takes a function");
  const isWorker = process.env[IS_WORKER] === "1";
  // Programs that the hook starts are no workers.
  delete process.env[IS_WORKER];
  // What the hook prints must not stand beside its answers.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  if (isWorker) work(hook);
  else once(hook);
}

async function once(hook) {
  const { exit_code, stdout, stderr } = await run(hook, JSON.parse(fs.readFileSync(0, "utf8")));
  writeAll(1, stdout);
  if (stderr !== undefined) writeAll(2, `${stderr}\n`);
  process.exit(exit_code);
}

async function work(hook) {
  for await (const line of lines(process.stdin)) {
    const { crosshook, ...event } = JSON.parse(line);
    const said = await run(hook, event);
    writeAll(1, `${JSON.stringify({ crosshook: { id: crosshook?.id, ...said } })}\n`);
  }
  // Whatever the hook still holds open: nobody asks any more.
  process.exit(0);
}

async function* lines(stream) {
  let parts = [];
  for await (let chunk of stream) {
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE)) {
      parts.push(chunk.subarray(0, end));
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
      chunk = chunk.subarray(end + 1);
    }
    if (chunk.length > 0) parts.push(chunk);
  }
}

/** What a command would have left behind. */
async function run(hook, event) {
  try {
    return { exit_code: 0, stdout: text(await hook(event)) };
  } catch (error) {
    if (error instanceof Block) return { exit_code: 2, stdout: "", stderr: error.message };
    // The default, but without the end of the process.
    writeAll(2, `${error?.stack ?? error}\n`);
    return { exit_code: 1, stdout: "" };
  }
}

function text(answer) {
  if (answer === undefined || answer === null) return "";
  if (typeof answer === "string") return answer;
  if (typeof answer === "object") return `${JSON.stringify(answer)}\n`;
  throw new TypeError(`the hook returned a ${typeof answer}, not an object, a string or nothing`);
}

/** Writes to a pipe that may be full, and may not block. */
function writeAll(fd, content) {
  let rest = Buffer.from(content);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(fd, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

module.exports = { Block, serve };
