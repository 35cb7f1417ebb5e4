// The outcome, as every language sees it.
// Made by tests/schema/generate.py from core/schema; do not edit.

/**
 * What hooks decided. PreToolUse, PermissionRequest and Gemini's BeforeTool: `none`, `allow`, `ask`, `defer`, `deny`;
 * all other events: `none` or `block`. `none` is no opinion, never consent.
 */
export type Decision = "none" | "allow" | "ask" | "defer" | "deny" | "block";

/** How grave a `Diagnostic` is. */
export type Level = "warning" | "error";

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

/** One thing a user should know. */
export interface Diagnostic {
  /** How grave it is. `error`: it does not run, or did not count. `warning`: it runs, perhaps not as meant. */
  level: Level;
  /** What happened, for programs. Stable. */
  code: string;
  /** What happened, where, and what to do, for people. */
  message: string;
  /** The settings entry it is about, when there is one. */
  origin: Origin | null;
}

/** How one hook ended. */
export type HookStatus = "ok" | "blocked" | "error" | "timeout" | "cancelled" | "skipped" | "background";

/** What one selected hook did. */
export interface HookReport {
  /** Identifies the hook within its engine: scope, event, group and position. */
  id: string;
  /** The dialect the hook is written in. */
  dialect: string;
  /** Where it is configured. */
  origin: Origin;
  /** Its type: `command`, `process`, `http`, `prompt`, ... */
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

/** The agent must halt now. */
export interface Stop {
  /** The text that goes with it. */
  reason: string | null;
}

/**
 * The outcome of one dispatch. The form is the same for every dialect and every language; all keys are always there.
 */
export interface OutcomeBase {
  /** The event's name. */
  event: string;
  /** What the hooks decided together: `deny` and `block` beat `defer`, that beats `ask`, that `allow`, that `none`. */
  decision: Decision;
  /** The text that goes with the decision. */
  reason: string | null;
  /** The **complete** tool input after all modifications; nothing when no hook changed it. */
  updated_input: Record<string, unknown> | null;
  /** Replaces the tool's result; nothing when no hook replaces it. */
  updated_output: unknown;
  /** For the model, one entry a hook, in hook order. */
  additional_context: string[];
  /** For the user only, in hook order. */
  system_messages: string[];
  /** Set when the agent must halt now. */
  stop: Stop | null;
  /** Whether the hooks' output is to be hidden from the transcript. */
  suppress_output: boolean;
  /** Permission rules that a hook wants changed, in the agent's own form. */
  updated_permissions: unknown;
  /** Whether a denied permission also interrupts the agent. */
  interrupt: boolean;
  /** Event-specific fields that have no place above, under their own names. */
  extra: Record<string, unknown>;
  /** One entry for each hook that was selected, in configured order. */
  hooks: HookReport[];
  /**
   * Everything that was ignored, cut, skipped or not understood. The first outcome of an engine also holds those of
   * loading its settings.
   */
  diagnostics: Diagnostic[];
}
