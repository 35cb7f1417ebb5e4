/** What an engine is made with, and the options of its calls. */
import type { AgentFunction, ModelFunction, ToolFunction } from "./callbacks.js";
import type { DialectEvents } from "./generated/events.js";
import type { PluginSource } from "./manage.js";

/** What {@link DispatchOptions.signal} needs of an `AbortSignal`. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The dialects the engine speaks, and any that a later version learns. */
export type Dialect = keyof DialectEvents | (string & {});

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

/** An endpoint that speaks OpenAI's chat completions. */
export interface LlmOptions {
  /** The URL up to, and without, `/chat/completions`. Private networks are allowed. */
  baseUrl: string;
  /** The model, unless a hook names one. */
  model: string;
  /** The environment variable that holds the key. Default: `OPENAI_API_KEY`. Unset: no key is sent. */
  keyEnv?: string;
}

/** What is left out of a recording: exactly one of these. */
export interface RedactRule {
  /** The values of all keys of this name; `*` is any text, and neither case nor `_` and `-` make a difference. */
  key?: string;
  /** The value that this JSON pointer leads to, in the event, a hook's answer or the outcome. */
  pointer?: string;
  /** Whatever this regular expression (in the syntax of Rust's crate `regex`) finds in a string. */
  pattern?: string;
}

/** Where dispatches are recorded, and what is left out. */
export interface RecordOptions {
  /** The file that lines are appended to. Made when it is not there, for its owner only. One that others may read or write, one of another user and a symbolic link are refused. */
  path: string;
  /** What is left out beside what the usual rules say. */
  redact?: readonly RedactRule[];
  /** Whether keys whose names say that they hold a secret, and texts that look like one, are left out. Default: true. */
  usualRules?: boolean;
  /** Bytes that the file may have. What would make it larger is not recorded, with a diagnostic. Default: 1 GiB. */
  maxBytes?: number;
}

/** What a tool of yours is called in the dialect. */
export interface ToolName {
  /** The dialect's name, as in `"Bash"`. */
  name: string;
  /** The dialect's names of its arguments, by yours: those that differ. */
  arguments?: Readonly<Record<string, string>>;
}

/** The options of an {@link Engine}. All but the functions go to the core as JSON: what `JSON.stringify` drops is not there. */
export interface EngineOptions {
  /** The dialect in which settings and events are read. */
  dialect: Dialect;
  /** The version of that agent to follow, as in `"2.1.240"`. Default: the newest that is documented. */
  version?: string;
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
  /** The file in which grants for hooks of projects are kept (ZCode, Codex). Default: grants last as long as the engine. */
  trustStore?: string;
  /** A model endpoint that answers prompt hooks; {@link EngineOptions.model} is not asked then. */
  llm?: LlmOptions;
  /**
   * Whether you take what background hooks have to say later (CodeBuddy, Claude Code). `false`: their output goes nowhere, so they
   * outlive a host that exits before them. Default: true.
   */
  lateResults?: boolean;
  /**
   * The file that each dispatch is recorded in, for {@link Engine.replay} and as an audit trail, or more about it. What looks
   * like a secret is left out.
   */
  record?: string | RecordOptions;
  /** Other dialects whose own files are looked up as well, each by its own rules of places, trust and switches. */
  dialects?: readonly Dialect[];
  /**
   * Your tools that have another name in the dialect, by your names: `{ execute: "Bash" }`. Matchers, `if` rules and hooks see the
   * dialect's names; what hooks change of the input comes back under yours.
   */
  tools?: Readonly<Record<string, string | ToolName>>;
  /** Answers prompt hooks, and goals. Without it, and without `llm`, they fail. */
  model?: ModelFunction | null | undefined;
  /** Answers agent hooks. Without it they fail. */
  agent?: AgentFunction | null | undefined;
  /** Calls the tools of MCP servers, for hooks of that type (Claude Code). Without it they fail. */
  mcpTool?: ToolFunction | null | undefined;
}

/** The options of one dispatch. */
export interface DispatchOptions {
  /** Cancels the dispatch: see {@link Engine.dispatch}. */
  signal?: AbortSignalLike | null | undefined;
}

/** The options of {@link Engine.waitBackground} and {@link MessageDisplay.finish}. */
export interface WaitOptions extends DispatchOptions {
  /** The longest time to wait, in milliseconds. Default: no limit. */
  timeout?: number | null | undefined;
}
