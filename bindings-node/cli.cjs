#!/usr/bin/env node
"use strict";
// The command line, for `npx crosshook`.

const { addon, fault } = require("./native.cjs");

if (fault) {
  console.error(fault.message);
  process.exitCode = 1;
} else process.exit(addon.main(["crosshook", ...process.argv.slice(2)]));
