// The line protocol of the probes written in JavaScript.
import { createInterface } from "node:readline";

export const now = () => Number(process.hrtime.bigint());

const BATCH_NS = 1.5e6;

/** Answers lines of fields between tabs, `case n argument...`, each with figures, or with `! what failed`. */
export async function serve(cases) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [name, n, ...rest] = line.split("\t");
    let answer;
    try {
      if (!Object.hasOwn(cases, name)) throw new Error(`no such case: ${name}`);
      answer = (await cases[name](Number(n), ...rest)).join(" ");
    } catch (error) {
      answer = `! ${error}`.replaceAll("\n", " ");
    }
    process.stdout.write(`${answer}\n`);
  }
  process.exit(0);
}

/** The time of each of n runs. */
export async function each(n, work) {
  const figures = [];
  for (let i = 0; i < n; i++) {
    const begun = now();
    await work();
    figures.push(now() - begun);
  }
  return figures;
}

/** The mean time of `work` in n batches of about 1.5 ms. */
export function batches(n, work) {
  for (let i = 0; i < 50; i++) work();
  let begun = now();
  for (let i = 0; i < 10; i++) work();
  const size = Math.max(1, Math.min(20_000, Math.floor((BATCH_NS * 10) / (now() - begun))));
  const figures = [];
  for (let i = 0; i < n; i++) {
    begun = now();
    for (let j = 0; j < size; j++) work();
    figures.push((now() - begun) / size);
  }
  return figures;
}

/** As `batches`, for what is awaited. */
export async function awaited(n, work) {
  const run = async (size) => {
    const begun = now();
    for (let i = 0; i < size; i++) await work();
    return (now() - begun) / size;
  };
  await run(50);
  const size = Math.max(1, Math.min(5_000, Math.floor(BATCH_NS / (await run(20)))));
  const figures = [];
  for (let i = 0; i < n; i++) figures.push(await run(size));
  return figures;
}

const kept = [];

/** Touches that many megabytes and keeps them. */
export function ballast(megabytes) {
  for (let left = megabytes; left > 0; left -= 512) kept.push(Buffer.alloc(Math.min(left, 512) << 20, 1));
  return [0];
}
