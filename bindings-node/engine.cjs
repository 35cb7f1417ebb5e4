"use strict";
// The public face. What it promises is written in index.d.ts.

const { native, host, introduce, newIdle, byFields, start, waitFor, giveUp } = require("./bridge.cjs");
const { CrosshookError, fromFailure, aborted, closed, guarded } = require("./errors.cjs");
const input = require("./input.cjs");
const { MessageDisplay, make } = require("./display.cjs");

let lastListener = 0;
let watchesExit = false;

/** Signals with running dispatches, and their ids. One listener a signal: many dispatches may share one. */
const aborts = new WeakMap();

class Engine {
  #native;
  /** The host's functions. A dispatch that runs keeps `this`, and so them. */
  #callbacks;
  /** Events that fire no hook. Forgotten with every call that might change that. */
  #idle = newIdle();
  /** The running dispatches: id to promise. */
  #running = new Map();
  /** What else is waited for: id to promise. */
  #waiting = new Map();

  constructor(options) {
    const { text, model, agent, mcpTool } = input.readOptions(options);
    const { callbacks, number } = introduce({ model, agent, mcpTool });
    const made = guarded(() => native.NativeEngine.create(host, number, text, Boolean(model), Boolean(agent), Boolean(mcpTool)));
    if (!(made instanceof native.NativeEngine)) throw fromFailure(made);
    this.#native = made;
    this.#callbacks = callbacks;
    watchExit();
  }

  async dispatch(event, options) {
    const signal = input.readSignal(options);
    const found = signal?.aborted ? undefined : this.#byFields(event);
    if (found !== undefined) return found;
    const { text, back } = input.readEvent(event);
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

  /** The reply, or a promise of it. */
  #run(engine, text, signal) {
    const { id, done } = start(engine, text, this.#callbacks.listeners.size > 0);
    if (!(done instanceof Promise)) return done;
    this.#running.set(id, done);
    const unwatch = signal && watchSignal(signal, id);
    return done.finally(() => {
      this.#running.delete(id);
      unwatch?.();
    });
  }

  /** See bridge.cjs. Not for whoever listens: the outcome must not overtake what listeners are told. */
  #byFields(event) {
    if (this.#native === null || this.#callbacks.listeners.size > 0) return undefined;
    return byFields(this.#native, this.#idle, event);
  }

  dispatchSync(event) {
    const found = this.#byFields(event);
    if (found !== undefined) return found;
    const { text, back } = input.readEvent(event);
    const engine = this.#open();
    return back(unwrap(guarded(() => host.dispatchSync(engine, text))));
  }

  explain(event) {
    const { text } = input.readEvent(event);
    return this.#json((engine) => unwrap(engine.explain(text)));
  }

  replay(line) {
    const text = input.readLine(line);
    return this.#json((engine) => unwrap(engine.replay(text)));
  }

  list() {
    return this.#json((engine) => engine.list());
  }

  diagnostics() {
    return this.#json((engine) => engine.diagnostics());
  }

  lint() {
    return this.#json((engine) => engine.lint());
  }

  changes() {
    return this.#json((engine) => engine.changes());
  }

  reload() {
    return this.#json((engine) => unwrap(engine.reload()));
  }

  register(sessionId, settings) {
    input.checkString(sessionId, "the session id");
    const text = input.readJson(settings, "the settings");
    return this.#json((engine) => unwrap(engine.register(sessionId, text)));
  }

  registerFunction(spec, run) {
    const text = input.readObject(spec, "the function's specification");
    input.checkFunction(run, "the hook");
    const registered = this.#json((engine) => unwrap(engine.registerFunction(text)));
    this.#callbacks.functions.set(registered.id, run);
    return registered;
  }

  hook(event, options, run) {
    if (run === undefined && typeof options === "function") [options, run] = [{}, options];
    input.checkString(event, "the event's name");
    const { id, diagnostics } = this.registerFunction(input.readHookOptions(event, options), run);
    const remove = () => this.#native !== null && this.unregister(id);
    return stoppable(Object.assign(remove, { id, diagnostics }));
  }

  unregister(id) {
    input.checkString(id, "the id");
    const removed = this.#call((engine) => engine.unregister(id));
    // Dispatches in flight finish with it.
    if (removed) Promise.allSettled(this.#running.values()).then(() => this.#callbacks.functions.delete(id));
    return removed;
  }

  openScope(scope) {
    const text = input.readObject(scope, "the scope");
    return this.#json((engine) => unwrap(engine.openScope(text)));
  }

  closeScope(id) {
    return this.unregister(id);
  }

  grants() {
    return this.#json((engine) => engine.grants());
  }

  wantedGrants() {
    return this.#json((engine) => engine.wantedGrants());
  }

  grant(digest) {
    input.checkString(digest, "the digest");
    this.#do((engine) => engine.grant(digest));
  }

  revoke(digest) {
    input.checkString(digest, "the digest");
    this.#do((engine) => engine.revoke(digest));
  }

  watch(listener) {
    input.checkFunction(listener, "the listener");
    const engine = this.#open();
    const id = ++lastListener;
    const { listeners } = this.#callbacks;
    listeners.set(id, listener);
    const number = guarded(() => engine.watch(id));
    return stoppable(() => listeners.delete(id) && guarded(() => engine.unwatch(number)));
  }

  background() {
    return this.#json((engine) => engine.background());
  }

  cancelBackground(number) {
    if (number !== undefined) input.checkInteger(number, "the number of the hook");
    return this.#call((engine) => engine.cancelBackground(number));
  }

  waitBackground(options) {
    return this.#wait(options, (engine, id, limit) => host.waitBackground(engine, id, limit));
  }

  takeLateResults() {
    return this.#json((engine) => engine.takeLateResults());
  }

  endSession(sessionId) {
    input.checkString(sessionId, "the session id");
    return this.#call((engine) => engine.endSession(sessionId));
  }

  setGoal(sessionId, condition) {
    input.checkString(sessionId, "the session id");
    input.checkString(condition, "the condition");
    this.#do((engine) => engine.setGoal(sessionId, condition));
  }

  clearGoal(sessionId) {
    input.checkString(sessionId, "the session id");
    return this.#call((engine) => engine.clearGoal(sessionId));
  }

  goal(sessionId) {
    input.checkString(sessionId, "the session id");
    return this.#json((engine) => engine.goal(sessionId));
  }

  noteGoalUsage(sessionId, turns, tokens) {
    input.checkString(sessionId, "the session id");
    input.checkInteger(turns, "the number of turns");
    input.checkInteger(tokens, "the number of tokens");
    return this.#call((engine) => engine.noteGoalUsage(sessionId, turns, tokens));
  }

  restoreGoal(sessionId, goal) {
    input.checkString(sessionId, "the session id");
    const text = input.readJson(goal, "the goal");
    this.#do((engine) => engine.restoreGoal(sessionId, text));
  }

  renderContext(outcome) {
    const text = input.readJson(outcome, "the outcome");
    return this.#json((engine) => unwrap(engine.renderContext(text)));
  }

  messageDisplay(event) {
    const text = input.readJson(event, "the event");
    const made = this.#call((engine) => engine.messageDisplay(text));
    if (!(made instanceof native.NativeDisplay)) throw fromFailure(made);
    const finish = (options) => this.#wait(options, (_, id, limit) => made.finish(host, id, limit));
    return new MessageDisplay(make, made, finish);
  }

  async close() {
    this.#native = null;
    this.#callbacks.closed = true;
    this.#callbacks.listeners.clear();
    for (const id of this.#running.keys()) guarded(() => host.cancel(id));
    for (const id of this.#waiting.keys()) giveUp(id, closed());
    await Promise.allSettled([...this.#running.values(), ...this.#waiting.values()]);
    this.#callbacks.functions.clear();
  }

  #open() {
    if (this.#native === null) throw closed();
    return this.#native;
  }

  #call(work) {
    const engine = this.#open();
    this.#idle.clear();
    return guarded(() => work(engine));
  }

  #json(work) {
    return JSON.parse(this.#call(work));
  }

  #do(work) {
    const failure = this.#call(work);
    if (failure) throw fromFailure(failure);
  }

  async #wait(options, begin) {
    const signal = input.readSignal(options, ["signal", "timeout"]);
    const limit = input.readTimeout(options);
    const engine = this.#open();
    if (signal?.aborted) throw aborted(signal, null);
    return waitFor((id) => begin(engine, id, limit), this.#waiting, signal, () => aborted(signal, null));
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

/** For `using`: leaving the block calls `stop`. */
function stoppable(stop) {
  if (Symbol.dispose) Object.defineProperty(stop, Symbol.dispose, { value: () => void stop() });
  return stop;
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

function dialectNames() {
  return guarded(() => native.dialectNames());
}

function settingsSchema(dialect) {
  input.checkString(dialect, "the dialect");
  return JSON.parse(unwrap(guarded(() => native.settingsSchema(dialect))));
}

module.exports = { Engine, MessageDisplay, CrosshookError, dialectNames, settingsSchema, version: native.version() };
