/// <reference lib="esnext.disposable" />

import type { CamelCaseEvent, HookEvent } from "./events.js";
import type { Diagnostic, ExplainedHook, ListedHook, Outcome } from "./outcome.js";

export * from "./events.js";
export * from "./outcome.js";

/** Node's `Buffer`, or `Uint8Array` in a project that has no types of Node. */
export type OutcomeBytes = typeof globalThis extends { Buffer: { alloc(size: number): infer Bytes } }
  ? Bytes
  : Uint8Array;

/** What {@link DispatchOptions.signal} needs of an `AbortSignal`. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The dialects the engine speaks, and any that a later version learns. */
export type Dialect = "codebuddy" | "zcode" | "qwen" | "claude" | "codex" | "gemini" | (string & {});

/** Where settings stand in the order of sources. */
export type Scope =
  | "system_defaults"
  | "system"
  | "managed"
  | "user"
  | "project"
  | "local"
  | "session"
  | "extension"
  | (string & {});

/** One source of settings: given here, or a file to read. */
export type SettingsSource = {
  /** Default: the scope that is usual in the dialect. */
  scope?: Scope;
  /** The dialect it is written in. Default: that of the engine. */
  dialect?: Dialect;
} & (
  | { /** In the form of the dialect's own settings file. */ settings: object }
  | { /** The file to read; an error when it cannot be read. */ path: string }
);

/** The options of an {@link Engine}. They are handed to the core as JSON: what `JSON.stringify` drops is not there. */
export interface EngineOptions {
  /** The dialect in which settings and events are read. */
  dialect: Dialect;
  /** One object in the form of the dialect's own settings file, or a list of sources in order. */
  settings?: object | readonly SettingsSource[];
  /** The project's root directory. Default: the event's `cwd`. */
  projectDir?: string;
  /** The user's home directory. */
  home?: string;
  /** Whether the project is trusted; hooks of project settings run only then. Default: true. */
  trusted?: boolean;
  /** What a broken hook does to the decision: `open` (default) nothing, `closed` it denies or blocks. A hook's own wins. */
  failMode?: "open" | "closed";
  /** The environment that hooks inherit, complete. Default: a copy of this process's, taken now. */
  env?: Readonly<Record<string, string>>;
}

/** The options of one dispatch. */
export interface DispatchOptions {
  /** Cancels the dispatch: see {@link Engine.dispatch}. */
  signal?: AbortSignalLike | null | undefined;
}

/** The stable code of a {@link CrosshookError}. */
export type ErrorCode =
  /** The engine's options are not what {@link EngineOptions} describes. */
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

/**
 * A set of hooks, ready to run. May be used for any number of dispatches at once.
 *
 * An idle engine does not keep the process alive, and need not be closed; a pending dispatch does keep it alive. When the
 * process exits, or the worker that made the engine ends, its running hooks are ended with all their children; a process
 * waits for that, two seconds at most. A process that dies by a signal cannot do it.
 */
export class Engine {
  /**
   * Reads the settings. Files are read now, and only now.
   *
   * @throws {CrosshookError} `invalid_options`, `invalid_settings`, `io`
   * @throws {TypeError} `options` is not an object
   */
  constructor(options: EngineOptions);

  /**
   * Runs the hooks that match `event` and resolves with the outcome: an object for an object, JSON text for JSON text.
   * The event is copied before the call returns.
   *
   * When the signal fires, the hooks and all their children are ended (by SIGTERM, and two seconds later by SIGKILL,
   * where the dialect is polite), and the promise rejects with a {@link CrosshookError} as Node's own functions do:
   * `name` is `"AbortError"`, `cause` is `signal.reason`; and `outcome` tells how far it got. A signal that had fired
   * before starts nothing.
   *
   * @throws {CrosshookError} (rejects) `invalid_event`, `resource`, `cancelled`, `closed`, `internal`
   * @throws {TypeError} (rejects) an argument has a wrong type
   */
  dispatch(event: string, options?: DispatchOptions): Promise<string>;
  dispatch(event: Uint8Array, options?: DispatchOptions): Promise<OutcomeBytes>;
  dispatch<Name extends string, Event extends object>(
    event: Event & HookEvent<Name>,
    options?: DispatchOptions,
  ): Promise<Outcome<Name>>;
  dispatch<Name extends string, Event extends object>(
    event: Event & CamelCaseEvent<Name>,
    options?: DispatchOptions,
  ): Promise<Outcome<Name>>;

  /**
   * The same, but blocks the thread until the outcome is there: no timer, promise or signal handler runs meanwhile.
   *
   * @throws {CrosshookError} `invalid_event`, `resource`, `closed`, `internal`
   * @throws {TypeError} `event` has a wrong type
   */
  dispatchSync(event: string): string;
  dispatchSync(event: Uint8Array): OutcomeBytes;
  dispatchSync<Name extends string, Event extends object>(event: Event & HookEvent<Name>): Outcome<Name>;
  dispatchSync<Name extends string, Event extends object>(event: Event & CamelCaseEvent<Name>): Outcome<Name>;

  /**
   * Which hooks would run for `event`, which not, and why: every configured hook, in configured order. Runs nothing.
   *
   * @throws {CrosshookError} `invalid_event`, `closed`
   * @throws {TypeError} `event` has a wrong type
   */
  explain(event: string | Uint8Array | HookEvent | CamelCaseEvent): ExplainedHook[];

  /**
   * Every configured hook, in configured order.
   *
   * @throws {CrosshookError} `closed`
   */
  list(): ListedHook[];

  /**
   * What was noticed while the settings were loaded.
   *
   * @throws {CrosshookError} `closed`
   */
  diagnostics(): Diagnostic[];

  /**
   * Cancels what runs and resolves when every dispatch has settled; the pending dispatches reject with the code `closed`. Later calls
   * throw the same. May be called more than once; never rejects.
   */
  close(): Promise<void>;

  /** As {@link Engine.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;

  /** As {@link Engine.close}, for `using`; does not wait for the end. */
  [Symbol.dispose](): void;
}

/** The version of the library. */
export const version: string;
