"use strict";
// What index.cjs and index.mjs have in common: the public face, or why it cannot be had.

const { fault } = require("./native.cjs");

module.exports = fault ? { fault } : require("./engine.cjs");
