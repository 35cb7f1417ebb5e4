/** What comes back. The form is the same for every dialect and every language; all keys are always there. */
import type { EventName, PermissionEventName } from "./generated/events.js";
import type { Decision, Origin, OutcomeBase } from "./generated/outcome.js";

export type { Decision, Diagnostic, HookReport, HookStatus, Level, Origin, Stop } from "./generated/outcome.js";

/** The decisions of PreToolUse, PermissionRequest and Gemini CLI's BeforeTool. */
export type PermissionDecision = Exclude<Decision, "block">;

/**
 * The decisions of all other events. `block`: prompt refused, stop prevented (the agent goes on working), feedback to
 * the model after a tool, batch stopped, todo refused.
 */
export type BlockDecision = Extract<Decision, "none" | "block">;

/** The decisions that the event `Name` can have. */
export type DecisionOf<Name extends string> = Name extends PermissionEventName
  ? PermissionDecision
  : Name extends EventName
    ? BlockDecision
    : Decision;

/** The outcome of one dispatch. `Name` is the event's name, where it is known. */
export interface Outcome<Name extends string = string> extends OutcomeBase {
  /** The event's name. */
  event: Name;
  /** What the hooks decided together. `deny` and `block` beat `defer`, that beats `ask`, that `allow`, that `none`. */
  decision: DecisionOf<Name>;
}

/** The outcome of any event that is described here, told apart by `event`. */
export type KnownOutcome = { [Name in EventName]: Outcome<Name> }[EventName];

/** A configured hook. */
export interface ConfiguredHook {
  /** The event it is configured for. */
  event: string;
  /** Identifies the hook within its engine. */
  id: string;
  /** The dialect the hook is written in. */
  dialect: string;
  /** `command`, `process`, `http`, `prompt`, ... */
  type: string;
  /** Its name, or command, or URL. */
  label: string;
  /** The matcher of its group, as written. */
  matcher: string | null;
  /** Where it is configured. */
  origin: Origin;
}

/** A configured hook, as {@link Engine.list} tells it. */
export interface ListedHook extends ConfiguredHook {
  /** Its time limit in seconds. */
  timeout: number;
  /** Whether it runs in the background. */
  async: boolean;
  /** Whether it runs only once a session. */
  once: boolean;
  /** Whether its command is started once and asked for each event. */
  worker: boolean;
  /** What a host shows while it runs. */
  status_message: string | null;
  /** Whether its group asks for one hook after the other. */
  sequential: boolean;
  /** What its failure does, when the hook says so itself. */
  fail_mode: "open" | "closed" | null;
  /** Whether it can run at all. */
  enabled: boolean;
  /** Why it cannot. */
  why_not: string | null;
}

/** A configured hook, and whether it would run, as {@link Engine.explain} tells it. */
export interface ExplainedHook extends ConfiguredHook {
  /** Whether it would run for the event. */
  runs: boolean;
  /** Why, or why not. */
  why: string;
}

/** One thing that a replay decides otherwise than was recorded. */
export interface Difference {
  /**
   * A key of the outcome; or `hook`: a hook that ran then and would run now ends otherwise; `not_recorded`: a hook would run
   * now and its answer is not known; `not_run`: a hook ran then and would not run now; `not_known`: what would be decided
   * depends on a text that was taken out of the recording.
   */
  what: string;
  /** The id of the hook, when it is about one. */
  hook: string | null;
  /** What was recorded. */
  recorded: unknown;
  /** What it would be now. */
  now: unknown;
  /** The same for people. */
  message: string;
}

/** A recorded dispatch and what would be decided now, as {@link Engine.replay} tells it. */
export interface Replay {
  /** When it was recorded (RFC 3339, UTC). */
  time: string;
  /** The version of Crosshook that recorded it. */
  crosshook: string;
  /** The dialect of the engine that recorded it. */
  dialect: string;
  /** The event's name. */
  event: string;
  /** Whether all is decided as it was. */
  same: boolean;
  /** What is not as it was. */
  differences: Difference[];
  /** What is decided now. */
  outcome: Outcome;
}
