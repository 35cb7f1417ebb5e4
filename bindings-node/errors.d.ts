/** How calls fail. */
import type { Outcome } from "./outcome.js";

/** The stable code of a {@link CrosshookError}. */
export type ErrorCode =
  /** The engine's options, a scope, a function's specification or a digest are not usable. */
  | "invalid_options"
  /** A settings file or object that was named explicitly cannot be read or parsed. */
  | "invalid_settings"
  /** The event is not a JSON object with an event name, or not UTF-8. */
  | "invalid_event"
  /** A file that was named explicitly cannot be read. */
  | "io"
  /** The system refused a resource the engine itself needs (a thread, a descriptor). */
  | "resource"
  /** The dispatch was cancelled. */
  | "cancelled"
  /** The engine has been closed. */
  | "closed"
  /** A blocking call on a thread of the engine. Not seen in JavaScript, which never runs there. */
  | "engine_thread"
  /** A defect in Crosshook. Treat it as a denied event. */
  | "internal"
  | (string & {});

/**
 * A call failed. The message says what, where and what to do.
 *
 * Arguments of a wrong type throw a `TypeError` instead (its `code` is `ERR_INVALID_ARG_TYPE`), and what `JSON.stringify`
 * cannot write (a cycle, a BigInt, nesting thousands deep) throws what it throws: send such an event as a string.
 */
export class CrosshookError extends Error {
  constructor(
    message: string,
    fields?: {
      code?: ErrorCode;
      details?: Partial<CrosshookError["details"]> | undefined;
      outcome?: Outcome | null;
      cause?: unknown;
    },
  );
  /** `"AbortError"` when `code` is `"cancelled"`, else `"CrosshookError"`. */
  name: string;
  /** What kind of failure it is. */
  readonly code: ErrorCode;
  /** Where the fault is, as far as it is known. */
  readonly details: {
    /** The file, as it was named. */
    path: string | null;
    /** JSON pointer (RFC 6901) into that file or object. */
    pointer: string | null;
    /** Line, counted from 1. */
    line: number | null;
  };
  /**
   * For `cancelled` and `closed`: what was there when the hooks had been ended (those that had not finished have the
   * status `cancelled`), or null when nothing had been started. It is a report, not an answer.
   */
  readonly outcome: Outcome | null;
}
