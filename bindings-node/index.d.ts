/// <reference lib="esnext.disposable" />

import type {
  FunctionSpec,
  HookFunction,
  HookHandle,
  HookOptions,
  NoticeListener,
  StopWatching,
} from "./callbacks.js";
import type { CamelCaseEvent, HookEvent } from "./events.js";
import type { EventName } from "./generated/events.js";
import type {
  BackgroundHook,
  Changes,
  FrontmatterScope,
  Goal,
  Grant,
  LateResult,
  Registered,
  WantedGrant,
} from "./manage.js";
import type { Dialect, DispatchOptions, EngineOptions, WaitOptions } from "./options.js";
import type { Diagnostic, ExplainedHook, ListedHook, Outcome, Replay } from "./outcome.js";

export * from "./callbacks.js";
export * from "./errors.js";
export * from "./events.js";
export * from "./generated/events.js";
export * from "./generated/settings.js";
export * from "./manage.js";
export * from "./options.js";
export * from "./outcome.js";

/** Node's `Buffer`, or `Uint8Array` in a project that has no types of Node. */
export type OutcomeBytes = typeof globalThis extends { Buffer: { alloc(size: number): infer Bytes } }
  ? Bytes
  : Uint8Array;

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
   * The event is copied before the call returns. What listeners are told of it, they are told before. An object that fires
   * no hook is not written as JSON: the engine reads the few properties that decide, and what is wrong with others goes
   * unnoticed (a cycle, a BigInt). Getters may run more than once.
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
   * Host functions and listeners are called directly, on this thread; `async` functions cannot answer here. A worker that
   * blocks here is terminated only when the hooks are done, at their time limits at the latest.
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
   * Decides a line of a recording ({@link EngineOptions.record}) again by the hooks that this engine has now, and says what
   * would be decided otherwise. Runs nothing and changes nothing.
   *
   * @throws {CrosshookError} `invalid_event`: it is no line of a recording, or an engine of another dialect recorded it; `closed`
   * @throws {TypeError} `line` has a wrong type
   */
  replay(line: string | Uint8Array): Replay;

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
   * What in working settings is probably not meant, each a warning with a code that begins with `lint_`: matchers that
   * match nothing or too much, scripts that are not there, limits in the wrong unit, ... Runs nothing; reads the scripts
   * that hooks name.
   *
   * @throws {CrosshookError} `closed`
   */
  lint(): Diagnostic[];

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
   * run until {@link Engine.unregister} is called with the id. Hooks of another dialect stand in an entry, `{ dialect:
   * "claude", settings: {...} }`; an object is one when it has `settings` and no `hooks`.
   *
   * @throws {CrosshookError} `invalid_settings`; `invalid_options`: an entry that is not usable; `closed`
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
   * The grants that hold for this workspace, also those of declarations that are gone or were changed since.
   *
   * @throws {CrosshookError} `closed`
   */
  grants(): Grant[];

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
   * Gives a session a goal: from now on its Stop events ask {@link EngineOptions.model} whether the condition is met, and
   * the agent goes on until it is, or is impossible. Replaces an earlier goal.
   *
   * @throws {CrosshookError} `invalid_options`: the condition is empty or too long; `closed`
   * @throws {TypeError} an argument is no string
   */
  setGoal(sessionId: string, condition: string): void;

  /**
   * Takes a session's goal away. Returns whether it had one.
   *
   * @throws {CrosshookError} `closed`
   * @throws {TypeError} `sessionId` is no string
   */
  clearGoal(sessionId: string): boolean;

  /**
   * A session's goal, also when it is met or impossible. Save it to restore it when the session is resumed.
   *
   * @throws {CrosshookError} `closed`
   * @throws {TypeError} `sessionId` is no string
   */
  goal(sessionId: string): Goal | null;

  /**
   * Adds turns and tokens that were spent on a session's goal. Returns whether it has one.
   *
   * @throws {CrosshookError} `closed`
   * @throws {TypeError} an argument has a wrong type, or a number is negative or no integer
   */
  noteGoalUsage(sessionId: string, turns: number, tokens: number): boolean;

  /**
   * Gives a session a goal that was saved, as an object or JSON text.
   *
   * @throws {CrosshookError} `invalid_options`: it is no goal; `closed`
   * @throws {TypeError} an argument has a wrong type
   */
  restoreGoal(sessionId: string, goal: Goal | string): void;

  /**
   * The text for the model: the contexts of an outcome (an object, or JSON text) joined, wrapped and cut as the dialect
   * does. Null when there is nothing to hand over.
   *
   * @throws {CrosshookError} `invalid_event`: it is no outcome; `closed`
   * @throws {TypeError} `outcome` has a wrong type
   */
  renderContext(outcome: Outcome | string): string | null;

  /**
   * Begins a message of the agent for the MessageDisplay hooks (Qwen Code). `event` (an object, or JSON text) has the
   * event's common fields and a `message_id`; one is made up when it is missing.
   *
   * @throws {CrosshookError} `invalid_event`; `invalid_options`: the dialect has no such event; `closed`
   * @throws {TypeError} `event` has a wrong type
   */
  messageDisplay(event: object | string): MessageDisplay;

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

/**
 * One message of the agent on its way to the hooks, made by {@link Engine.messageDisplay}. Each delivery carries the whole
 * text so far; of an unfinished message at most one is under way, and what is pushed meanwhile replaces what waits. The
 * finished text is never lost.
 */
export class MessageDisplay {
  private constructor();

  /**
   * Appends text that was shown. Does nothing after the end.
   *
   * @throws {TypeError} `text` is no string
   */
  push(text: string): void;

  /**
   * Delivers the finished text and waits for the hooks, without a limit unless one is given; they go on after that.
   * Resolves with whether they are done. A message without text delivers nothing. Keeps the process alive meanwhile.
   *
   * @throws {CrosshookError} (rejects) `cancelled`: the signal has fired; `closed`
   * @throws {TypeError} (rejects) an option has a wrong type
   */
  finish(options?: WaitOptions): Promise<boolean>;

  /** Ends the message without delivering it: the agent's turn was cancelled. */
  abort(): void;

  /** As {@link MessageDisplay.abort}, for `using`. Does nothing after `finish`. */
  [Symbol.dispose](): void;
}

/** The names of all dialects, as {@link EngineOptions.dialect} takes them. */
export function dialectNames(): string[];

/**
 * The JSON Schema (draft 7) of a dialect's settings: for editors, and for hosts that check or complete settings
 * themselves. A fresh object with every call.
 *
 * @throws {CrosshookError} `invalid_options`: there is no such dialect
 * @throws {TypeError} `dialect` is no string
 */
export function settingsSchema(dialect: Dialect): Record<string, unknown>;

/** The version of the library. */
export const version: string;
