/// <reference lib="esnext.disposable" />

import type {
  AgentFunction,
  FunctionSpec,
  HookFunction,
  HookHandle,
  HookOptions,
  ModelFunction,
  NoticeListener,
  StopWatching,
} from "./callbacks.js";
import type { CamelCaseEvent, EventName, HookEvent } from "./events.js";
import type {
  BackgroundHook,
  Changes,
  FrontmatterScope,
  LateResult,
  PluginSource,
  Registered,
  WantedGrant,
} from "./manage.js";
import type { Diagnostic, ExplainedHook, ListedHook, Outcome } from "./outcome.js";

export * from "./callbacks.js";
export * from "./events.js";
export * from "./manage.js";
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

/** The options of an {@link Engine}. All but the functions go to the core as JSON: what `JSON.stringify` drops is not there. */
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
  /**
   * Whether the dialect's own files are looked up below `home` and `projectDir`, and where the machine keeps them.
   * Default: only when no `settings` are given.
   */
  discover?: boolean;
  /** Plugins or extensions: their folders, or more about them. */
  plugins?: readonly (string | PluginSource)[];
  /** The file in which grants for hooks of projects are kept (ZCode). Default: grants last as long as the engine. */
  trustStore?: string;
  /** Answers prompt hooks. Without it they fail. */
  model?: ModelFunction | null | undefined;
  /** Answers agent hooks. Without it they fail. */
  agent?: AgentFunction | null | undefined;
}

/** The options of one dispatch. */
export interface DispatchOptions {
  /** Cancels the dispatch: see {@link Engine.dispatch}. */
  signal?: AbortSignalLike | null | undefined;
}

/** The options of {@link Engine.waitBackground}. */
export interface WaitOptions extends DispatchOptions {
  /** The longest time to wait, in milliseconds. Default: no limit. */
  timeout?: number | null | undefined;
}

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
   * The event is copied before the call returns. What listeners are told of it, they are told before.
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
   * Host functions and listeners are called directly, on this thread; `async` functions cannot answer here.
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
   * How the settings files differ from the set that runs. Changes nothing, so that a host can show what
   * {@link Engine.reload} would do.
   *
   * @throws {CrosshookError} `closed`
   */
  changes(): Changes;

  /**
   * Takes over the settings files as they are now, in one step, and says what changed. Dispatches in flight keep the old
   * set; what the host registered stays. When a file cannot be read or parsed, the old set holds unchanged.
   *
   * @throws {CrosshookError} `io`, `invalid_settings`, `closed`
   */
  reload(): Changes;

  /**
   * Adds hooks for the events of one session: settings in the form of the dialect's file, as an object or JSON text. They
   * run until {@link Engine.unregister} is called with the id.
   *
   * @throws {CrosshookError} `invalid_settings`, `closed`
   * @throws {TypeError} an argument has a wrong type
   */
  register(sessionId: string, settings: object | string): Registered;

  /**
   * Makes a function of the host a hook: {@link HookFunction} tells what it may answer. The engine holds it until the
   * returned function is called, and never keeps the process alive for it.
   *
   * @throws {CrosshookError} `invalid_options`: no such event, or a matcher that is no pattern; `closed`
   * @throws {TypeError} an argument has a wrong type
   */
  hook<Name extends EventName>(event: Name, run: HookFunction<Name>): HookHandle;
  hook<Name extends EventName>(event: Name, options: HookOptions, run: HookFunction<Name>): HookHandle;
  hook(event: string, run: HookFunction): HookHandle;
  hook(event: string, options: HookOptions, run: HookFunction): HookHandle;

  /**
   * As {@link Engine.hook}, with everything in one specification.
   *
   * @throws {CrosshookError} `invalid_options`, `closed`
   * @throws {TypeError} an argument has a wrong type
   */
  registerFunction(spec: FunctionSpec, run: HookFunction): Registered;

  /**
   * Removes what was registered or opened under this id; `false` when there is nothing (any more). Dispatches in flight
   * finish with it.
   *
   * @throws {CrosshookError} `closed`
   * @throws {TypeError} `id` is no string
   */
  unregister(id: string): boolean;

  /**
   * Opens the scope of an agent or skill that starts: the hooks of its frontmatter run until {@link Engine.closeScope} is
   * called with the id. What is held back is listed, does not run, and is named in a diagnostic.
   *
   * @throws {CrosshookError} `invalid_options`, `closed`
   * @throws {TypeError} `scope` is no object
   */
  openScope(scope: FrontmatterScope): Registered;

  /**
   * Closes a scope; `false` when there is none with this id (any more).
   *
   * @throws {CrosshookError} `closed`
   * @throws {TypeError} `id` is no string
   */
  closeScope(id: string): boolean;

  /**
   * The declarations whose hooks are held back until they are granted.
   *
   * @throws {CrosshookError} `closed`
   */
  wantedGrants(): WantedGrant[];

  /**
   * Grants a declaration and lets its hooks run from now on. Kept in {@link EngineOptions.trustStore}, when there is one,
   * and ended by any change of the declaration.
   *
   * @throws {CrosshookError} `invalid_options`: nothing waits for this digest; `io`, `closed`
   * @throws {TypeError} `digest` is no string
   */
  grant(digest: string): void;

  /**
   * Takes a grant back.
   *
   * @throws {CrosshookError} `io`, `closed`
   * @throws {TypeError} `digest` is no string
   */
  revoke(digest: string): void;

  /**
   * Calls `listener` for everything that happens in this engine's dispatches from now on, in order: from the event loop,
   * or directly during `dispatchSync`. A listener does not keep the process alive.
   *
   * @throws {CrosshookError} `closed`
   * @throws {TypeError} `listener` is no function
   */
  watch(listener: NoticeListener): StopWatching;

  /**
   * The background hooks that run now.
   *
   * @throws {CrosshookError} `closed`
   */
  background(): BackgroundHook[];

  /**
   * Ends one background hook, with all its children, or all of them. Returns how many it was.
   *
   * @throws {CrosshookError} `closed`
   * @throws {TypeError} `number` is no number
   */
  cancelBackground(number?: number): number;

  /**
   * Waits until no background hook of this engine runs any more. Resolves with `false` when the time is over before. It
   * keeps the process alive meanwhile.
   *
   * @throws {CrosshookError} (rejects) `cancelled`: the signal has fired; `closed`
   * @throws {TypeError} (rejects) an option has a wrong type
   */
  waitBackground(options?: WaitOptions): Promise<boolean>;

  /**
   * Takes what background hooks had to say since the last call, where their dialect delivers it. At most the latest 256
   * are kept.
   *
   * @throws {CrosshookError} `closed`
   */
  takeLateResults(): LateResult[];

  /**
   * Forgets what the engine knows of a session: its count of prevented stops and its hooks that run once. Returns whether
   * there was anything. Sessions that are never ended cost bounded memory.
   *
   * @throws {CrosshookError} `closed`
   * @throws {TypeError} `sessionId` is no string
   */
  endSession(sessionId: string): boolean;

  /**
   * Cancels what runs and resolves when every dispatch has settled; the pending dispatches reject with the code `closed`. The
   * signals of host functions that have not answered fire, and nobody waits for them; listeners hear nothing more. Background
   * hooks go on: see {@link Engine.waitBackground} and {@link Engine.cancelBackground}. Later calls throw `closed`. May be called more than once; never rejects.
   */
  close(): Promise<void>;

  /** As {@link Engine.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;

  /** As {@link Engine.close}, for `using`; does not wait for the end. */
  [Symbol.dispose](): void;
}

/** The version of the library. */
export const version: string;
