"use strict";
// Events that are objects: asking the engine first, before they are written as JSON.

const { isProxy } = require("node:util").types;

/** Whether JSON.stringify would write what the object's own properties hold, and nothing else. */
function isPlain(event) {
  if (typeof event !== "object" || event === null || isProxy(event)) return false;
  const prototype = Object.getPrototypeOf(event);
  return (prototype === Object.prototype || prototype === null) && event.toJSON === undefined;
}

/** Makes outcomes that say nothing, from the text of one. */
function blanks(text) {
  const blank = JSON.parse(text);
  const lists = Object.keys(blank).filter((key) => Array.isArray(blank[key]));
  const objects = Object.keys(blank).filter((key) => !lists.includes(key) && typeof blank[key] === "object" && blank[key] !== null);
  return (event) => {
    const outcome = { ...blank, event };
    for (const key of lists) outcome[key] = [];
    for (const key of objects) outcome[key] = {};
    return outcome;
  };
}

module.exports = { isPlain, blanks };
