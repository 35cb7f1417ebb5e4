"use strict";
const main = require("./main.cjs");

if (main.fault) throw main.fault;

module.exports = main;
