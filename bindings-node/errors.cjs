"use strict";

/** See index.d.ts. */
class CrosshookError extends Error {
  constructor(message, { code = "internal", details, outcome = null, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    // What was aborted is recognised by its name everywhere, as with fetch and Node's own functions.
    this.name = code === "cancelled" ? "AbortError" : "CrosshookError";
    this.code = code;
    this.details = {
      path: details?.path ?? null,
      pointer: details?.pointer ?? null,
      line: details?.line ?? null,
    };
    this.outcome = outcome;
  }
}

/** The error for a failure as the addon reports it. */
function fromFailure(failure) {
  return new CrosshookError(failure.message, { code: failure.code, details: failure });
}

function aborted(signal, outcome) {
  return new CrosshookError("the dispatch was aborted", { code: "cancelled", outcome, cause: signal.reason });
}

function closed(outcome = null) {
  return new CrosshookError("the engine is closed; make a new one", { code: "closed", outcome });
}

/** Calls into the addon. It throws only when it panicked: everything else comes back as a value. */
function guarded(call) {
  try {
    return call();
  } catch (cause) {
    if (cause instanceof CrosshookError) throw cause;
    throw new CrosshookError(`a defect in Crosshook: ${cause?.message ?? cause}; treat the event as denied`, { cause });
  }
}

function wrongType(message) {
  return Object.assign(new TypeError(message), { code: "ERR_INVALID_ARG_TYPE" });
}

module.exports = { CrosshookError, fromFailure, aborted, closed, guarded, wrongType };
