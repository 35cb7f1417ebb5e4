"use strict";
const { isUint8Array } = require("node:util").types;
const { wrongType } = require("./errors.cjs");

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * An event as text for the addon, and how the outcome's text is handed back: in the form the event had.
 */
function readEvent(event) {
  if (typeof event === "string") return { text: wellFormed(event), back: (json) => json };
  if (isUint8Array(event)) return { text: event, back: (json) => Buffer.from(json) };
  if (isObject(event)) return { text: JSON.stringify(event), back: JSON.parse };
  throw wrongType(`the event must be an object, a string or a Uint8Array of JSON, not ${kindOf(event)}`);
}

/** A line of a recording. */
function readLine(line) {
  if (typeof line === "string") return wellFormed(line);
  if (isUint8Array(line)) return line;
  throw wrongType(`the recorded line must be a string or a Uint8Array, not ${kindOf(line)}`);
}

/**
 * Half of a surrogate pair cannot be written in UTF-8, but in JSON it can be escaped, which means the same.
 */
function wellFormed(text) {
  if (text.isWellFormed()) return text;
  return text.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

/** The options as text for the addon, and what of them cannot be text. */
function readOptions(options) {
  if (!isObject(options)) throw wrongType(`the engine's options must be an object, not ${kindOf(options)}`);
  const { model, agent, mcpTool, ...rest } = options;
  for (const [name, value] of Object.entries({ model, agent, mcpTool })) {
    if (value !== undefined && value !== null) checkFunction(value, `\`${name}\``);
  }
  return { text: JSON.stringify(rest), model, agent, mcpTool };
}

/** What is no option of a call is refused: it would have been meant to cancel it. */
function checkCallOptions(options, known) {
  if (!isObject(options)) throw wrongType(`the options must be an object such as { signal }, not ${kindOf(options)}`);
  if (typeof options.aborted === "boolean") throw wrongType("an AbortSignal goes into the options: { signal }");
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw wrongType(`there is no option \`${unknown}\`; it is one of ${known.join(", ")}`);
}

/** The signal of a dispatch's options, or undefined. */
function readSignal(options, known = ["signal"]) {
  if (options === undefined || options === null) return undefined;
  checkCallOptions(options, known);
  const { signal } = options;
  if (signal === undefined || signal === null) return undefined;
  if (typeof signal.aborted !== "boolean" || typeof signal.addEventListener !== "function") {
    throw wrongType("`signal` must be an AbortSignal");
  }
  return signal;
}

/** The time limit of a wait's options in milliseconds, or null. */
function readTimeout(options) {
  const timeout = options?.timeout;
  if (timeout === undefined || timeout === null) return null;
  checkNumber(timeout, "`timeout`");
  return timeout;
}

/** The options of `hook` as the specification of a function. */
function readHookOptions(event, options) {
  if (options === undefined || options === null) return { event };
  if (!isObject(options)) throw wrongType(`the hook's options must be an object, not ${kindOf(options)}`);
  const { timeout, ...rest } = options;
  if (timeout === undefined || timeout === null) return { ...rest, event };
  checkNumber(timeout, "`timeout`");
  return { ...rest, event, timeout_ms: Math.ceil(timeout) };
}

/** An object as text for the addon. */
function readObject(value, what) {
  if (!isObject(value)) throw wrongType(`${what} must be an object, not ${kindOf(value)}`);
  return JSON.stringify(value);
}

/** An object, or JSON text, as text for the addon. */
function readJson(value, what) {
  if (typeof value === "string") return wellFormed(value);
  if (!isObject(value)) throw wrongType(`${what} must be an object or a string of JSON, not ${kindOf(value)}`);
  return JSON.stringify(value);
}

function checkString(value, what) {
  if (typeof value !== "string") throw wrongType(`${what} must be a string, not ${kindOf(value)}`);
}

function checkFunction(value, what) {
  if (typeof value !== "function") throw wrongType(`${what} must be a function, not ${kindOf(value)}`);
}

function checkNumber(value, what) {
  if (typeof value !== "number" || !(value >= 0)) {
    throw wrongType(`${what} must be a number that is not negative, not ${typeof value === "number" ? value : kindOf(value)}`);
  }
}

function checkInteger(value, what) {
  checkNumber(value, what);
  if (!Number.isSafeInteger(value)) throw wrongType(`${what} must be a safe integer, not ${value}`);
}

function kindOf(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `${value === undefined ? "" : "a "}${typeof value}`;
}

module.exports = {
  readEvent,
  readLine,
  readOptions,
  readSignal,
  readTimeout,
  readHookOptions,
  readObject,
  readJson,
  checkString,
  checkFunction,
  checkNumber,
  checkInteger,
};
