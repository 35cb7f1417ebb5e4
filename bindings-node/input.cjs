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

/**
 * Half of a surrogate pair cannot be written in UTF-8, but in JSON it can be escaped, which means the same.
 */
function wellFormed(text) {
  if (text.isWellFormed()) return text;
  return text.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

function readOptions(options) {
  if (!isObject(options)) throw wrongType(`the engine's options must be an object, not ${kindOf(options)}`);
  return JSON.stringify(options);
}

/** The signal of a dispatch's options, or undefined. */
function readSignal(options) {
  if (options === undefined || options === null) return undefined;
  if (!isObject(options)) throw wrongType(`the dispatch options must be an object, not ${kindOf(options)}`);
  const { signal } = options;
  if (signal === undefined || signal === null) return undefined;
  if (typeof signal.aborted !== "boolean" || typeof signal.addEventListener !== "function") {
    throw wrongType("`signal` must be an AbortSignal");
  }
  return signal;
}

function kindOf(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `${value === undefined ? "" : "a "}${typeof value}`;
}

module.exports = { readEvent, readOptions, readSignal };
