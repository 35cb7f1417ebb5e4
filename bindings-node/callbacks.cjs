"use strict";
// The host's own functions: what they are called with, and what of their answers counts.
//
// Whatever such a function does, its hook gets an answer or a reason why there is none; that never reads as consent.

const { inspect, types } = require("node:util");
const { CrosshookError } = require("./errors.cjs");

/** So much of an error's text is kept. */
const LONGEST = 2000;

/** One call of a host's function, and its second argument. Most never look at the signal; it is made only then. */
class Call {
  #controller = null;
  #over = false;

  get signal() {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#over) this.#abort();
    }
    return this.#controller.signal;
  }

  /** Nobody waits for the answer of `call` any more. Not a method: the host's function shall not find it. */
  static cancel(call) {
    call.#over = true;
    if (call.#controller !== null) call.#abort();
  }

  #abort() {
    const why = "the answer is no longer wanted: the hook has timed out or was cancelled";
    this.#controller.abort(new CrosshookError(why, { code: "cancelled" }));
  }
}

/** The functions and listeners of one engine. Only the engine holds it, so that it goes with the engine. */
class Callbacks {
  model;
  agent;
  mcpTool;
  /** By the id of the registered function. */
  functions = new Map();
  /** By number. */
  listeners = new Map();
  closed = false;

  constructor({ model, agent, mcpTool }) {
    this.model = model;
    this.agent = agent;
    this.mcpTool = mcpTool;
  }

  /** Resolves with the text that answers a request. */
  async answer(request, call) {
    return textOf(request.kind, await this.#invoke(request, call));
  }

  /** The same at once. A function that would have to be awaited gives no answer. */
  answerNow(request, call) {
    const given = this.#invoke(request, call);
    if (typeof given?.then === "function") {
      // It runs, and nobody will hear of its end.
      Promise.resolve(given).catch(() => {});
      Call.cancel(call);
      throw new Unanswered("async function in dispatchSync: the thread is blocked, so nothing can be awaited; use dispatch(), or a function that answers at once");
    }
    return textOf(request.kind, given);
  }

  #invoke(request, call) {
    if (this.closed) throw new Unanswered("the engine is closed");
    if (request.kind !== "function") {
      const ask = { prompt: this.model, agent: this.agent, mcp_tool: this.mcpTool }[request.kind];
      return ask(request, call);
    }
    const run = this.functions.get(request.function);
    if (!run) throw new Unanswered("the function is no longer registered");
    return run(request.event, call);
  }
}

/** A reason of ours, which needs no class name before it. */
class Unanswered extends Error {}

/** The text of an answer, or throws. */
function textOf(kind, given) {
  if (typeof given === "string") return given;
  if (given === undefined || given === null) {
    // A function without an answer has no opinion; a model that is silent has failed.
    if (kind === "function") return "";
    throw new Unanswered(`it gave ${given} instead of an answer`);
  }
  // Whether they mean anything is for the dialect to say.
  if (kind === "function" && typeof given === "boolean") return String(given);
  const kindOf = oddKind(given);
  if (kindOf) throw new Unanswered(`it gave ${kindOf} instead of an object or text`);
  let text;
  try {
    text = JSON.stringify(given);
  } catch (error) {
    throw new Unanswered(`its answer cannot be written as JSON: ${describe(error)}`);
  }
  // What a `toJSON` makes of it.
  if (!text?.startsWith("{")) throw new Unanswered("its answer is no JSON object");
  return text;
}

/** What a value is that JSON.stringify would silently make nothing, or nonsense, of. */
function oddKind(value) {
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  if (types.isNativeError(value) || value instanceof Error) return `an error (${describe(value)})`;
  if (types.isMap(value)) return "a Map";
  if (types.isSet(value)) return "a Set";
  if (ArrayBuffer.isView(value)) return "bytes";
  return null;
}

/** The text of whatever was thrown. It may be anything, even something that throws when it is looked at. */
function describe(thrown) {
  let text;
  try {
    text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : inspect(thrown, { depth: 1 });
  } catch {
    text = "something that cannot be shown";
  }
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

/** Why there is no answer, for the hook's report. */
function reason(error) {
  return error instanceof Unanswered ? error.message : `it threw ${describe(error)}`;
}

/** Calls a listener. What it throws must not end what it watches, and must not go unseen. */
function tell(listener, notice) {
  const warn = (error) => {
    process.emitWarning(`a listener of engine.watch() threw ${describe(error)}`, "CrosshookWarning");
  };
  try {
    const given = listener(notice);
    if (typeof given?.then === "function") Promise.resolve(given).catch(warn);
  } catch (error) {
    warn(error);
  }
}

module.exports = { Call, Callbacks, reason, tell };
