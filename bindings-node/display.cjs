"use strict";
const input = require("./input.cjs");
const { guarded, wrongType } = require("./errors.cjs");

/** What only the engine has, and so makes messages with. */
const make = Symbol("make");

/** See index.d.ts. Its engine lives as long as it does: `finish` holds it. */
class MessageDisplay {
  #native;
  #finish;

  constructor(key, native, finish) {
    if (key !== make) throw wrongType("a MessageDisplay is made by engine.messageDisplay()");
    this.#native = native;
    this.#finish = finish;
  }

  push(text) {
    input.checkString(text, "the text");
    guarded(() => this.#native.push(text));
  }

  finish(options) {
    return this.#finish(options);
  }

  abort() {
    guarded(() => this.#native.abort());
  }
}

if (Symbol.dispose) {
  Object.defineProperty(MessageDisplay.prototype, Symbol.dispose, {
    value() {
      this.abort();
    },
    writable: true,
    configurable: true,
  });
}

module.exports = { MessageDisplay, make };
