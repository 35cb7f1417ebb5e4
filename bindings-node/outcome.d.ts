/** What comes back. The form is the same for every dialect and every language; all keys are always there. */
import type { EventName } from "./events.js";

/** The decisions of PreToolUse, PermissionRequest and Gemini CLI's BeforeTool. */
export type PermissionDecision = "none" | "allow" | "ask" | "defer" | "deny";

/**
 * The decisions of all other events. `block`: prompt refused, stop prevented (the agent goes on working), feedback to
 * the model after a tool, batch stopped, todo refused.
 */
export type BlockDecision = "none" | "block";

/** `none` is no opinion: the host goes on as if there were no hooks. It is never consent. */
export type Decision = PermissionDecision | BlockDecision;

/** The decisions that the event `Name` can have. */
export type DecisionOf<Name extends string> = Name extends "PreToolUse" | "PermissionRequest" | "BeforeTool"
  ? PermissionDecision
  : Name extends EventName
    ? BlockDecision
    : Decision;

/** How one hook ended. `background`: it was started and decides nothing; `skipped`: it was selected but not started. */
export type HookStatus = "ok" | "blocked" | "error" | "timeout" | "cancelled" | "skipped" | "background";

/** Where a hook or a diagnostic comes from. */
export interface Origin {
  /** The scope of the source: `system`, `user`, `project`, ... */
  scope: string;
  /** The settings file, when there is one. */
  path: string | null;
  /** The plugin or extension, when the source is one. */
  plugin: string | null;
  /** JSON pointer (RFC 6901) into the settings. */
  pointer: string | null;
  /** Line in the settings text, counted from 1. */
  line: number | null;
}

/** Something that was ignored, cut, skipped or not understood. */
export interface Diagnostic {
  /** `error`: it does not run or did not count. `warning`: it runs, perhaps not as meant. */
  level: "warning" | "error";
  /** What happened, stable, for programs. */
  code: string;
  /** What happened, where, and what to do, for people. */
  message: string;
  /** The settings entry it is about, when there is one. */
  origin: Origin | null;
}

/** What one selected hook did. */
export interface HookReport {
  /** Identifies the hook within its engine. */
  id: string;
  /** The dialect the hook is written in. */
  dialect: string;
  /** Where it is configured. */
  origin: Origin;
  /** `command`, `process`, `http`, `prompt`, ... */
  type: string;
  /** Its name, or command, or URL. */
  label: string;
  /** The matcher of its group, as written. */
  matcher: string | null;
  /** How it ended. */
  status: HookStatus;
  /** The exit code, when there was one. */
  exit_code: number | null;
  /** From start to end, in milliseconds. */
  duration_ms: number;
  /** Its own decision. */
  decision: Decision;
  /** Its own reason. */
  reason: string | null;
  /** What it wrote to standard output, in bytes, kept or not. */
  stdout_bytes: number;
  /** What it wrote to standard error, in bytes, kept or not. */
  stderr_bytes: number;
  /** Whether some of its output was dropped. */
  truncated: boolean;
  /** What failed, or why it was skipped. */
  error: string | null;
}

/** The outcome of one dispatch. `Name` is the event's name, where it is known. */
export interface Outcome<Name extends string = string> {
  /** The event's name. */
  event: Name;
  /** What the hooks decided together. `deny` and `block` beat `defer`, that beats `ask`, that `allow`, that `none`. */
  decision: DecisionOf<Name>;
  /** The text that goes with the decision. */
  reason: string | null;
  /** The **complete** tool input after all modifications; null when no hook changed it. */
  updated_input: Record<string, unknown> | null;
  /** Replaces the tool's result; null when no hook replaced it. */
  updated_output: unknown;
  /** For the model, one entry a hook, in hook order. */
  additional_context: string[];
  /** For the user only, in hook order. */
  system_messages: string[];
  /** Not null: the agent must halt now. */
  stop: { reason: string | null } | null;
  /** Whether the hooks' output is to be hidden from the transcript. */
  suppress_output: boolean;
  /** Permission rules that a hook wants changed; null when none does. */
  updated_permissions: unknown;
  /** Whether a denied permission also interrupts the agent. */
  interrupt: boolean;
  /** Event-specific fields that have no place above, under their own names. */
  extra: Record<string, unknown>;
  /** One entry for each hook that was selected, in configured order. */
  hooks: HookReport[];
  /** Everything that was ignored, cut, skipped or not understood. */
  diagnostics: Diagnostic[];
}

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
