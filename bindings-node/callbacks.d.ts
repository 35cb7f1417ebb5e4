/**
 * The host's own functions: models, agents, function hooks and listeners.
 *
 * Such a function may be synchronous or `async`. One that throws, rejects, never settles or answers with something else
 * than allowed makes its hook fail (status `error` or `timeout`, and a diagnostic that says why); that never reads as
 * consent. It may call the engine again. What it leaves behind (a timer, a request) is its own affair: look at `signal`.
 *
 * During `dispatchSync` the thread is blocked, so the functions are called directly and must answer at once: an `async`
 * one fails with "async function in dispatchSync". Nothing can interrupt one that takes longer than its time limit, but its
 * answer does not count then.
 */
import type { HookEvent } from "./events.js";
import type { EventName } from "./generated/events.js";
import type { Decision, Diagnostic, HookStatus, PermissionDecision } from "./outcome.js";

/** An `AbortSignal`, or what there is of it in a project without its types. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean; readonly reason: unknown };

/** The second argument of every host function. */
export interface CallContext {
  /**
   * Fires when nobody waits for the answer any more: the hook has timed out, its dispatch was cancelled, or the engine
   * closed. `reason` is a `CrosshookError` whose name is `"AbortError"`. Hand it on to what you wait for.
   */
  readonly signal: Signal;
}

/** What is asked of a host function, told apart by `kind`. */
export type HostRequest = PromptRequest | AgentRequest | ToolRequest;

/** What all requests have. */
export interface RequestBase {
  /** Unique in this process. */
  id: number;
  /** The id of the hook that asks. */
  hook: string;
  /** Null; only function hooks have one, and those get their event instead of a request. */
  function: null;
  /** The model as the hook names it, or null for the host's default. */
  model: string | null;
  /** What to tell the model about the form of its answer. */
  system: string;
  /** The prompt, with the event in it. */
  prompt: string;
  /** The hook's time limit in milliseconds. */
  timeout_ms: number;
  /** The event as the hook's dialect writes it. */
  event: HookEvent & Record<string, unknown>;
}

/** A prompt hook asks for a model's reply. */
export interface PromptRequest extends RequestBase {
  kind: "prompt";
  agent_type: null;
}

/** An agent hook asks for the final text of an agent that was given this task. */
export interface AgentRequest extends RequestBase {
  kind: "agent";
  /** The type of agent, as the hook names it, or null for the host's default. */
  agent_type: string | null;
}

/** An `mcp_tool` hook asks for the result of a tool of an MCP server that the host is connected to. */
export interface ToolRequest {
  kind: "mcp_tool";
  /** Unique in this process. */
  id: number;
  /** The id of the hook that asks. */
  hook: string;
  function: null;
  model: null;
  agent_type: null;
  system: null;
  prompt: null;
  /** The MCP server. */
  server: string;
  /** The tool's name, as the server knows it. */
  tool: string;
  /** What it is called with, the event's values in it. */
  input: Record<string, unknown>;
  /** The hook's time limit in milliseconds. */
  timeout_ms: number;
  /** The event as the hook's dialect writes it. */
  event: HookEvent & Record<string, unknown>;
}

/** What a model or an agent answers, in the form that {@link RequestBase.system} asks for. */
export interface ModelVerdict {
  /** Whether there is no objection. */
  ok: boolean;
  /** Why there is one. */
  reason?: string;
  /** Text that the agent should know. */
  additionalContext?: string;
  /** A goal that can never be reached. */
  impossible?: boolean;
}

/** Answers prompt hooks: with the model's text as it came, or with the verdict as an object. */
export type ModelFunction = (
  request: PromptRequest,
  context: CallContext,
) => string | ModelVerdict | PromiseLike<string | ModelVerdict>;

/** Answers agent hooks: with the agent's final text as it came, or with the verdict as an object. */
export type AgentFunction = (
  request: AgentRequest,
  context: CallContext,
) => string | ModelVerdict | PromiseLike<string | ModelVerdict>;

/** Calls a tool of an MCP server: answers with its text, or with the whole result as an object. */
export type ToolFunction = (
  request: ToolRequest,
  context: CallContext,
) => string | object | PromiseLike<string | object>;

/** What a function hook gets: the event as the hook's dialect writes it. Its own copy. */
export type HookInput<Name extends string = string> = HookEvent<Name> & Record<string, unknown>;

/**
 * What a function hook answers: what a command hook of the dialect would print, as an object or as text. These are the
 * keys that dialects share; a dialect's documentation tells what else it reads.
 */
export interface HookAnswer {
  /** `false`: the agent must halt. */
  continue?: boolean;
  /** Why it must. */
  stopReason?: string;
  /** Hides the hook's output from the transcript. */
  suppressOutput?: boolean;
  /** For the user. */
  systemMessage?: string;
  /** Its decision, on events that are not about permissions. */
  decision?: "approve" | "allow" | "block" | "deny" | "ask" | (string & {});
  /** The text that goes with it. */
  reason?: string;
  /** What belongs to the event. */
  hookSpecificOutput?: {
    hookEventName?: EventName | (string & {});
    permissionDecision?: Exclude<PermissionDecision, "none"> | (string & {});
    permissionDecisionReason?: string;
    updatedInput?: object;
    additionalContext?: string;
    [key: string]: unknown;
  };
  [key: string]: unknown;
}

/**
 * A function hook. `undefined` and `null` are no opinion; text counts as what a command hook prints; in Qwen `true` goes on
 * and `false` blocks. Anything else (a boolean elsewhere, a number, an array, an error) is no answer, and the hook has
 * failed.
 */
export type HookFunction<Name extends string = string> = (
  input: HookInput<Name>,
  context: CallContext,
) => HookReply | PromiseLike<HookReply>;

/** What a function hook may answer. */
export type HookReply = HookAnswer | string | boolean | undefined | null | void;

/** The options of a function hook. */
export interface HookOptions {
  /** What the event's matcher target (the tool's name, mostly) must match. Default: everything. */
  matcher?: string;
  /** What the hook is called in outcomes. */
  name?: string;
  /** Its time limit in milliseconds. Default: 5000. */
  timeout?: number;
  /** The only session whose events it gets. Default: every one. */
  sessionId?: string;
  /** What a host shows while it runs. */
  statusMessage?: string;
  /** What is read when it answers `false`, and before the reason when it fails. */
  errorMessage?: string;
  /** Whether its failure denies or blocks. Default: as the engine's options say. */
  failMode?: "open" | "closed";
  /** The dialect whose events and answers it speaks. Default: the engine's. */
  dialect?: string;
}

/** A function hook as {@link Engine.registerFunction} takes it. */
export interface FunctionSpec extends Omit<HookOptions, "timeout"> {
  /** The event's name, as the dialect writes it. */
  event: EventName | (string & {});
  /** Its time limit in milliseconds, an integer. Default: 5000. */
  timeoutMs?: number;
}

/** Removes a function hook; `true` when it was still there. Dispatches in flight finish with it. Works with `using`. */
export interface HookHandle {
  (): boolean;
  /** For {@link Engine.unregister}. */
  readonly id: string;
  /** What was noticed when it was registered. */
  readonly diagnostics: Diagnostic[];
  [Symbol.dispose](): void;
}

/** Ends a watch; `true` when it was still on. No notice is delivered afterwards. Works with `using`. */
export interface StopWatching {
  (): boolean;
  [Symbol.dispose](): void;
}

/** A hook as a progress line needs it. */
export interface HookNote {
  /** Identifies the hook within its engine. */
  id: string;
  /** The dialect it is written in. */
  dialect: string;
  /** `command`, `prompt`, `function`, ... */
  type: string;
  /** Its name, or command, or URL. */
  label: string;
  /** What a host shows while it runs. */
  status_message: string | null;
}

/** What all notices have. */
export interface NoticeBase {
  /** Which dispatch; counted from 1 in each process. */
  dispatch: number;
  /** The event's name. */
  event: string;
}

/** A hook starts. */
export interface StartedNotice extends NoticeBase {
  type: "started";
  hook: HookNote;
}

/** A hook has ended, or was started in the background. */
export interface FinishedNotice extends NoticeBase {
  type: "finished";
  hook: HookNote;
  /** How it ended. */
  status: HookStatus;
  /** Its own decision. */
  decision: Decision;
  /** From start to end, in milliseconds. */
  duration_ms: number;
}

/** A background hook has ended. */
export interface BackgroundFinishedNotice extends NoticeBase {
  type: "background_finished";
  hook: HookNote;
  /** How it ended. */
  status: HookStatus;
  /** The exit code, when there was one. */
  exit_code: number | null;
  /** From start to end, in milliseconds. */
  duration_ms: number;
}

/** Something a user should know. */
export interface DiagnosticNotice extends NoticeBase {
  type: "diagnostic";
  diagnostic: Diagnostic;
}

/** Something that happened in a dispatch, told apart by `type`. Nothing of a prompt or of a tool's input is in it. */
export type Notice = StartedNotice | FinishedNotice | BackgroundFinishedNotice | DiagnosticNotice;

/** Hears notices. What it throws becomes a process warning and changes nothing. */
export type NoticeListener = (notice: Notice) => unknown;
