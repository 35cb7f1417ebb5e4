"use strict";
// The public face. What it promises is written in index.d.ts.

const { addon: native } = require("./native.cjs");
const { CrosshookError, fromFailure, aborted, closed, guarded } = require("./errors.cjs");
const { readEvent, readOptions, readSignal } = require("./input.cjs");

const host = new native.NativeHost();
let lastId = 0;
let watchesExit = false;

/** Signals with running dispatches, and their ids. One listener a signal: many dispatches may share one. */
const aborts = new WeakMap();

class Engine {
  #native;
  /** The running dispatches: id to promise. */
  #running = new Map();

  constructor(options) {
    const text = readOptions(options);
    const made = guarded(() => native.NativeEngine.create(text));
    if (!(made instanceof native.NativeEngine)) throw fromFailure(made);
    this.#native = made;
    watchExit();
  }

  async dispatch(event, options) {
    const signal = readSignal(options);
    const { text, back } = readEvent(event);
    const engine = this.#open();
    if (signal?.aborted) throw aborted(signal, null);
    const { json, failure } = await this.#run(engine, text, signal);
    // A cancelled run reads like "no objection". Nobody may take it for an answer, so it is handed out as an error.
    const outcome = () => (json == null ? null : JSON.parse(json));
    if (signal?.aborted) throw aborted(signal, outcome());
    if (this.#native === null) throw closed(outcome());
    if (failure) throw fromFailure(failure);
    return back(json);
  }

  async #run(engine, text, signal) {
    const id = ++lastId;
    const done = guarded(() => host.start(engine, id, text));
    this.#running.set(id, done);
    const unwatch = signal && watchSignal(signal, id);
    try {
      return await done;
    } finally {
      this.#running.delete(id);
      unwatch?.();
    }
  }

  dispatchSync(event) {
    const { text, back } = readEvent(event);
    const engine = this.#open();
    return back(unwrap(guarded(() => engine.dispatchSync(text))));
  }

  explain(event) {
    const { text } = readEvent(event);
    const engine = this.#open();
    return JSON.parse(unwrap(guarded(() => engine.explain(text))));
  }

  list() {
    const engine = this.#open();
    return JSON.parse(guarded(() => engine.list()));
  }

  diagnostics() {
    const engine = this.#open();
    return JSON.parse(guarded(() => engine.diagnostics()));
  }

  async close() {
    this.#native = null;
    for (const id of this.#running.keys()) guarded(() => host.cancel(id));
    await Promise.allSettled(this.#running.values());
  }

  #open() {
    if (this.#native === null) throw closed();
    return this.#native;
  }
}

// Not in the class body: Node 20 got these symbols after 20.0.
if (Symbol.dispose) method(Symbol.dispose, function () { void this.close(); });
if (Symbol.asyncDispose) method(Symbol.asyncDispose, function () { return this.close(); });

function method(name, value) {
  Object.defineProperty(Engine.prototype, name, { value, writable: true, configurable: true });
}

function unwrap({ json, failure }) {
  if (failure) throw fromFailure(failure);
  return json;
}

/** Cancels dispatch `id` when `signal` fires. Returns what ends the watch. */
function watchSignal(signal, id) {
  let watch = aborts.get(signal);
  if (!watch) {
    const ids = new Set();
    const cancel = () => ids.forEach((running) => host.cancel(running));
    watch = { ids, cancel };
    aborts.set(signal, watch);
    signal.addEventListener("abort", cancel, { once: true });
  }
  watch.ids.add(id);
  return () => {
    watch.ids.delete(id);
    if (watch.ids.size > 0) return;
    signal.removeEventListener("abort", watch.cancel);
    if (aborts.get(signal) === watch) aborts.delete(signal);
  };
}

/** process.exit() on the main thread runs no cleanup hook of an addon, and hooks must not outlive the agent. */
function watchExit() {
  if (watchesExit) return;
  watchesExit = true;
  process.once("exit", () => host.end(require("node:worker_threads").isMainThread));
}

module.exports = { Engine, CrosshookError, version: native.version() };
