"use strict";
// This environment's end of the native queue: what waits for it, and who is meant by what arrives.

const { addon: native } = require("./native.cjs");
const { Call, Callbacks, reason, tell } = require("./callbacks.cjs");
const { guarded } = require("./errors.cjs");
const { Idle, isPlain, blanks } = require("./fields.cjs");

/** The engines' callbacks by number. Weak: an engine that is forgotten goes, and its functions with it. */
const engines = new Map();
const forgotten = new FinalizationRegistry((number) => engines.delete(number));
/** What is waited for, by id: dispatches and other things that end. */
const pending = new Map();
/** The calls of hosts' functions that have not answered, by request. */
const calls = new Map();

const host = new native.NativeHost(deliver, askNow);
let lastId = 0;

/** A message has come. src/channel.rs has the same numbers. */
function deliver(what, number, id, text, failure) {
  switch (what) {
    case 0:
      return settle(id, { json: text, failure });
    case 1:
      return void answer(number, id, text);
    case 2:
      return unask(id);
    case 3:
      return notice(number, id, text);
    case 4:
      return wake(id);
  }
}

/** Waits for `id`; the loop goes on meanwhile. */
function wait(id) {
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject });
    if (pending.size === 1) host.hold(true);
  });
}

function end(id) {
  const waiting = pending.get(id);
  if (waiting && pending.delete(id) && pending.size === 0) host.hold(false);
  return waiting;
}

function settle(id, reply) {
  end(id)?.resolve(reply);
}

const blank = blanks(native.blankOutcome());
const newIdle = () => new Idle(native.eventNameKeys());

/** The outcome of an object, when its fields tell that it fires no hook; else undefined, and nothing has happened yet. */
function byFields(engine, idle, event) {
  if (!isPlain(event)) return undefined;
  const known = silently(() => idle.find(event));
  if (known === null) return undefined;
  if (known !== undefined) return blank(known);
  const found = silently(() => host.dispatchByFields(engine, event)) ?? null;
  if (found === null) return void silently(() => idle.add(event, null, (name) => engine.selectionFields(name)));
  if (typeof found !== "string") return JSON.parse(found.json);
  silently(() => idle.add(event, found, (name) => engine.selectionFields(name)));
  return blank(found);
}

/** Undefined when a getter of the event's threw. It will again when the event is written as JSON. */
function silently(look) {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** Starts a dispatch. Resolves with its reply. */
function start(engine, event, inOrder) {
  const id = ++lastId;
  const now = guarded(() => host.start(engine, id, event, inOrder));
  return { id, done: now ?? wait(id) };
}

/**
 * Waits for something that `begin` starts under an id and that may be there at once. Resolves with its value; `waiting`
 * holds the id and the promise meanwhile.
 */
async function waitFor(begin, waiting, signal, whenAborted) {
  const id = ++lastId;
  const now = guarded(() => begin(id));
  if (now !== null) return JSON.parse(now);
  const done = wait(id);
  const abort = () => giveUp(id, whenAborted());
  waiting.set(id, done);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return JSON.parse(await done);
  } finally {
    waiting.delete(id);
    signal?.removeEventListener("abort", abort);
  }
}

function wake(id) {
  if (!pending.has(id)) return;
  try {
    const text = guarded(() => host.poll(id));
    if (text !== null) settle(id, text);
  } catch (error) {
    end(id).reject(error);
  }
}

/** Ends a wait before its time. */
function giveUp(id, error) {
  guarded(() => host.dropWait(id));
  end(id)?.reject(error);
}

function callbacksOf(number) {
  return engines.get(number)?.deref();
}

/** Makes the callbacks of a new engine known. */
function introduce(options) {
  const callbacks = new Callbacks(options);
  const number = ++lastId;
  engines.set(number, new WeakRef(callbacks));
  forgotten.register(callbacks, number);
  return { callbacks, number };
}

const noEngine = "the engine was garbage-collected";

async function answer(number, id, request) {
  const call = new Call();
  calls.set(id, call);
  let text = null;
  let why = noEngine;
  try {
    text = (await callbacksOf(number)?.answer(JSON.parse(request), call)) ?? null;
  } catch (error) {
    why = reason(error);
  }
  calls.delete(id);
  host.answer(id, text, why);
}

function unask(id) {
  const call = calls.get(id);
  calls.delete(id);
  if (call) Call.cancel(call);
}

/** Answers a hook while `dispatchSync` blocks this thread. */
function askNow(number, request) {
  try {
    const text = callbacksOf(number)?.answerNow(JSON.parse(request), new Call());
    return text === undefined ? { why: noEngine } : { text };
  } catch (error) {
    return { why: reason(error) };
  }
}

function notice(number, id, text) {
  const listener = callbacksOf(number)?.listeners.get(id);
  if (listener) tell(listener, JSON.parse(text));
}

module.exports = { native, host, introduce, newIdle, byFields, start, waitFor, giveUp };
