// What a host in Node does without the engine: child_process and fetch.
import { spawn as start } from "node:child_process";
import { readFileSync } from "node:fs";
import { ballast, each, serve } from "./lines.mjs";

function one(event, [program, ...args]) {
  return new Promise((resolve, reject) => {
    const child = start(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    child.stdout.on("data", (part) => (out += part));
    child.stderr.resume();
    child.stdin.on("error", () => {});
    child.on("error", reject);
    child.on("close", (status) => (status === 0 && out ? resolve() : reject(new Error(`${program}: ${status}`))));
    child.stdin.end(event);
  });
}

function spawn(n, count, path, ...argv) {
  const event = readFileSync(path);
  return each(n, () => Promise.all(Array.from({ length: Number(count) }, () => one(event, argv))));
}

function http(n, port, path) {
  const body = readFileSync(path);
  const headers = { "content-type": "application/json" };
  return each(n, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/hook`, { method: "POST", body, headers });
    if ((await answer.json()).systemMessage !== "ok") throw new Error("a wrong answer");
  });
}

await serve({ ballast, spawn, http });
