"use strict";
// Events that are objects and fire no hook: found out before anything is written as JSON.

const { isProxy } = require("node:util").types;

const { getPrototypeOf, hasOwn, prototype: ordinary } = Object;

/** So many events are remembered, and strings up to this length: they may come from a model. */
const MOST = 1024;
const LONGEST = 256;

/** Whether JSON.stringify would write what the object's own properties hold, and nothing else. */
function isPlain(event) {
  if (typeof event !== "object" || event === null || isProxy(event)) return false;
  const prototype = getPrototypeOf(event);
  return (prototype === ordinary || prototype === null) && event.toJSON === undefined;
}

/** What JSON.stringify would write under the first of two names, or else under the second. */
function read(event, [first, second]) {
  const value = hasOwn(event, first) ? event[first] : undefined;
  return value === undefined && hasOwn(event, second) ? event[second] : value;
}

/** What is known of events: by their name, and by the value of the one field that decides whether they fire a hook. */
class Idle {
  #nameKeys;
  #byName = new Map();
  #size = 0;

  constructor(nameKeys) {
    this.#nameKeys = nameKeys;
  }

  /** The name of an event that fires none; null when it has to be written as JSON; undefined when nothing is known. */
  find(event) {
    const name = read(event, this.#nameKeys);
    const known = this.#byName.get(name);
    if (known === undefined || known.values === null) return undefined;
    const fires = known.values.get(known.field && read(event, known.field));
    return fires === undefined ? undefined : fires ? null : name;
  }

  /**
   * Remembers an event that has fired none, or, when no name is given, one that had to be written. `fieldsOf` tells which
   * fields decide, if they are all.
   */
  add(event, given, fieldsOf) {
    const name = given ?? read(event, this.#nameKeys);
    if (typeof name !== "string" || name.length > LONGEST) return;
    if (this.#size >= MOST) this.clear();
    let known = this.#byName.get(name);
    if (known === undefined) {
      const fields = fieldsOf(name);
      const one = fields !== null && fields.length <= 1;
      known = { field: fields?.[0], values: one ? new Map() : null };
      this.#byName.set(name, known);
      this.#size += 1;
    }
    const value = known.field && read(event, known.field);
    if (known.values === null || (value !== undefined && !(typeof value === "string" && value.length <= LONGEST))) return;
    known.values.set(value, given === null);
    this.#size += 1;
  }

  /** Forgets everything: the engine changes. */
  clear() {
    this.#byName.clear();
    this.#size = 0;
  }
}

/** Makes outcomes that say nothing, from the text of one. */
function blanks(text) {
  const blank = JSON.parse(text);
  const lists = Object.keys(blank).filter((key) => Array.isArray(blank[key]));
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const objects = Object.keys(blank).filter((key) => isObject(blank[key]));
  return (event) => {
    const outcome = { ...blank, event };
    for (const key of lists) outcome[key] = [];
    for (const key of objects) outcome[key] = {};
    return outcome;
  };
}

module.exports = { Idle, isPlain, blanks };
