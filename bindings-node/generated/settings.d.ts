// The settings of the agents, as far as they are about hooks.
// Made by tests/schema/generate.py from core/schema; do not edit.

/** A hook of the type `command`. */
export interface ClaudeCommandHook {
  type: "command";
  /** The line for the shell. */
  command: string;
  /** The program's arguments. */
  args?: string[];
  /** The hook is started and not waited for. */
  async?: boolean | null;
  /** In the background; exit code 2 wakes the model. */
  asyncRewake?: boolean | null;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** A permission rule, as in `Bash(git *)`, that the tool call must match. */
  if?: string | null;
  /** What the hook is called. */
  name?: string | null;
  /** The shell's program. */
  shell?: true | string;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 600 when left out. */
  timeout?: number | null;
  /** Crosshook's own: the command is started once and answers each event, a line of JSON, with a line. */
  worker?: boolean | null | Record<string, unknown>;
}

/** A hook of the type `http`. */
export interface ClaudeHttpHook {
  type: "http";
  /** Where the event is sent. */
  url: string;
  allowedEnvVars?: unknown;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  headers?: unknown;
  /** A permission rule, as in `Bash(git *)`, that the tool call must match. */
  if?: string | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 600 when left out. */
  timeout?: number | null;
}

/** A hook of the type `mcp_tool`. */
export interface ClaudeMcpToolHook {
  type: "mcp_tool";
  /** The MCP server, as the host knows it. */
  server: string;
  /** The tool of that server. */
  tool: string;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** A permission rule, as in `Bash(git *)`, that the tool call must match. */
  if?: string | null;
  /** What the tool is called with; `${path.into.event}` stands for a value of the event. */
  input?: Record<string, unknown> | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 600 when left out. */
  timeout?: number | null;
}

/** A hook of the type `prompt`. */
export interface ClaudePromptHook {
  type: "prompt";
  /** What the model is asked; `$ARGUMENTS` stands for the event. */
  prompt: string;
  /** An objection keeps the agent working. */
  continueOnBlock?: boolean | null;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** A permission rule, as in `Bash(git *)`, that the tool call must match. */
  if?: string | null;
  /** The model that answers. */
  model?: string | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 30 when left out. */
  timeout?: number | null;
}

/** A hook of the type `agent`. */
export interface ClaudeAgentHook {
  type: "agent";
  /** What the model is asked; `$ARGUMENTS` stands for the event. */
  prompt: string;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** A permission rule, as in `Bash(git *)`, that the tool call must match. */
  if?: string | null;
  /** The model that answers. */
  model?: string | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 60 when left out. */
  timeout?: number | null;
}

/** A hook, told apart by `type`. */
export type ClaudeHook = ClaudeCommandHook | ClaudeHttpHook | ClaudeMcpToolHook | ClaudePromptHook | ClaudeAgentHook;

/** Hooks for what a matcher matches. */
export interface ClaudeHookGroup {
  hooks: ClaudeHook[];
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  /** What the hooks of this group are for; none is all. */
  matcher?: string | null;
  [key: string]: unknown;
}

/** The hooks, by event. */
export interface ClaudeHookEvents {
  /** A matcher looks at `source`. */
  ConfigChange?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  CwdChanged?: ClaudeHookGroup[];
  /** A matcher looks at `source`. */
  DirectoryAdded?: ClaudeHookGroup[];
  /** A matcher looks at `mcp_server_name`. */
  Elicitation?: ClaudeHookGroup[];
  /** A matcher looks at `mcp_server_name`. */
  ElicitationResult?: ClaudeHookGroup[];
  /** A matcher looks at the file name in `file_path`. */
  FileChanged?: ClaudeHookGroup[];
  /** A matcher looks at `load_reason`. */
  InstructionsLoaded?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  MessageDisplay?: ClaudeHookGroup[];
  /** A matcher looks at `notification_type`. */
  Notification?: ClaudeHookGroup[];
  /** A matcher looks at the tool's name. */
  PermissionDenied?: ClaudeHookGroup[];
  /** A matcher looks at the tool's name. */
  PermissionRequest?: ClaudeHookGroup[];
  /** A matcher looks at `trigger`. */
  PostCompact?: ClaudeHookGroup[];
  /** A matcher looks at `to_model`. */
  PostModelSwitch?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  PostToolBatch?: ClaudeHookGroup[];
  /** A matcher looks at the tool's name. */
  PostToolUse?: ClaudeHookGroup[];
  /** A matcher looks at the tool's name. */
  PostToolUseFailure?: ClaudeHookGroup[];
  /** A matcher looks at `trigger`. */
  PreCompact?: ClaudeHookGroup[];
  /** A matcher looks at `to_model`. */
  PreModelSwitch?: ClaudeHookGroup[];
  /** A matcher looks at the tool's name. */
  PreToolUse?: ClaudeHookGroup[];
  /** A matcher looks at `reason`. */
  SessionEnd?: ClaudeHookGroup[];
  /** A matcher looks at `source`. */
  SessionStart?: ClaudeHookGroup[];
  /** A matcher looks at `trigger`. */
  Setup?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  Stop?: ClaudeHookGroup[];
  /** A matcher looks at `error`. */
  StopFailure?: ClaudeHookGroup[];
  /** A matcher looks at `agent_type`. */
  SubagentStart?: ClaudeHookGroup[];
  /** A matcher looks at `agent_type`. */
  SubagentStop?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  TaskCompleted?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  TaskCreated?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  TeammateIdle?: ClaudeHookGroup[];
  /** A matcher looks at `command_name`. */
  UserPromptExpansion?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  UserPromptSubmit?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  WorktreeCreate?: ClaudeHookGroup[];
  /** Always: a matcher is ignored. */
  WorktreeRemove?: ClaudeHookGroup[];
}

/** Hooks in the settings of Claude Code. */
export interface ClaudeSettings {
  /** Only managed hooks run. Only from managed settings. */
  allowManagedHooksOnly?: boolean;
  /** Patterns of the URLs that HTTP hooks may reach. */
  allowedHttpHookUrls?: string[];
  /** Switches all hooks off. */
  disableAllHooks?: boolean;
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  hooks?: ClaudeHookEvents;
  /** The environment variables that HTTP hooks may use. */
  httpHookAllowedEnvVars?: string[];
  /** Hooks of user, project and local settings do not run. Only from managed settings. */
  strictPluginOnlyCustomization?: boolean | unknown[];
  [key: string]: unknown;
}

/** A hook of the type `command`. */
export interface CodebuddyCommandHook {
  type: "command";
  /** The line for the shell. */
  command: string;
  /** The hook is started and not waited for. */
  async?: boolean | null;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** A permission rule, as in `Bash(git *)`, that the tool call must match. */
  if?: string | null;
  /** What the hook is called. */
  name?: string | null;
  /** The shell's program. */
  shell?: true | string;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 60 when left out. */
  timeout?: number | null;
  /** Crosshook's own: the command is started once and answers each event, a line of JSON, with a line. */
  worker?: boolean | null | Record<string, unknown>;
}

/** A hook of the type `prompt`. */
export interface CodebuddyPromptHook {
  type: "prompt";
  /** What the model is asked; `$ARGUMENTS` stands for the event. */
  prompt: string;
  /** An objection keeps the agent working. */
  continueOnBlock?: boolean | null;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** The model that answers. */
  model?: string | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 30 when left out. */
  timeout?: number | null;
}

/** A hook of the type `agent`. */
export interface CodebuddyAgentHook {
  type: "agent";
  /** What the model is asked; `$ARGUMENTS` stands for the event. */
  prompt: string;
  /** The agent that answers. */
  agentType?: string | null;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** The model that answers. */
  model?: string | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 60 when left out. */
  timeout?: number | null;
}

/** A hook of the type `http`. */
export interface CodebuddyHttpHook {
  type: "http";
  /** Where the event is sent. */
  url: string;
  allowedEnvVars?: unknown;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  headers?: unknown;
  method?: unknown;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 60 when left out. */
  timeout?: number | null;
}

/** A hook, told apart by `type`. */
export type CodebuddyHook = CodebuddyCommandHook | CodebuddyPromptHook | CodebuddyAgentHook | CodebuddyHttpHook;

/** Hooks for what a matcher matches. */
export interface CodebuddyHookGroup {
  hooks: CodebuddyHook[];
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  /** What the hooks of this group are for; none is all. */
  matcher?: string | null;
  [key: string]: unknown;
}

/** The hooks, by event. */
export interface CodebuddyHookEvents {
  /** A matcher looks at `source`. */
  ConfigChange?: CodebuddyHookGroup[];
  /** Always: a matcher is ignored. */
  CwdChanged?: CodebuddyHookGroup[];
  /** A matcher looks at `mcp_server_name`. */
  Elicitation?: CodebuddyHookGroup[];
  /** A matcher looks at `mcp_server_name`. */
  ElicitationResult?: CodebuddyHookGroup[];
  /** A matcher looks at the file name in `file_path`. */
  FileChanged?: CodebuddyHookGroup[];
  /** A matcher looks at `load_reason`. */
  InstructionsLoaded?: CodebuddyHookGroup[];
  /** A matcher looks at `notification_type`. */
  Notification?: CodebuddyHookGroup[];
  /** A matcher looks at the tool's name. */
  PermissionDenied?: CodebuddyHookGroup[];
  /** A matcher looks at the tool's name. */
  PermissionRequest?: CodebuddyHookGroup[];
  /** A matcher looks at `trigger`. */
  PostCompact?: CodebuddyHookGroup[];
  /** A matcher looks at the tool's name. */
  PostToolUse?: CodebuddyHookGroup[];
  /** A matcher looks at the tool's name. */
  PostToolUseFailure?: CodebuddyHookGroup[];
  /** A matcher looks at `trigger`. */
  PreCompact?: CodebuddyHookGroup[];
  /** A matcher looks at the tool's name. */
  PreToolUse?: CodebuddyHookGroup[];
  /** A matcher looks at `reason`. */
  SessionEnd?: CodebuddyHookGroup[];
  /** A matcher looks at `source`. */
  SessionStart?: CodebuddyHookGroup[];
  /** A matcher looks at `trigger`. */
  Setup?: CodebuddyHookGroup[];
  /** Always: a matcher is ignored. */
  Stop?: CodebuddyHookGroup[];
  /** A matcher looks at `error`. */
  StopFailure?: CodebuddyHookGroup[];
  /** A matcher looks at `agent_type`. */
  SubagentStart?: CodebuddyHookGroup[];
  /** Always: a matcher is ignored. */
  SubagentStop?: CodebuddyHookGroup[];
  /** Always: a matcher is ignored. */
  TaskCompleted?: CodebuddyHookGroup[];
  /** Always: a matcher is ignored. */
  TaskCreated?: CodebuddyHookGroup[];
  /** Always: a matcher is ignored. */
  TeammateIdle?: CodebuddyHookGroup[];
  /** Always: a matcher is ignored. */
  UserPromptSubmit?: CodebuddyHookGroup[];
  /** Always: a matcher is ignored. */
  WorktreeCreate?: CodebuddyHookGroup[];
  /** Always: a matcher is ignored. */
  WorktreeRemove?: CodebuddyHookGroup[];
}

/** Hooks in the settings of CodeBuddy Code. */
export interface CodebuddySettings {
  /** Hooks in the frontmatter of agents and skills count. Only from the user's settings. */
  allowUntrustedFrontmatterHooks?: boolean;
  /** Switches all hooks off. */
  disableAllHooks?: boolean;
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  hooks?: CodebuddyHookEvents;
  [key: string]: unknown;
}

/** A hook of the type `command`. */
export interface CodexCommandHook {
  type: "command";
  /** The line for the shell. */
  command: string;
  /** How many tokens of the hook's context the model gets; 0 is all. */
  additionalContextLimit?: number | null;
  /** The hook is started and not waited for. */
  async?: boolean | null;
  commandWindows?: unknown;
  command_windows?: unknown;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in whole seconds; 600 when left out. */
  timeout?: number | null;
  /** Crosshook's own: the command is started once and answers each event, a line of JSON, with a line. */
  worker?: boolean | null | Record<string, unknown>;
}

/** The agent knows this type and does not run it. */
export interface CodexSkippedHook {
  type: "prompt" | "agent";
  [key: string]: unknown;
}

/** A hook, told apart by `type`. */
export type CodexHook = CodexCommandHook | CodexSkippedHook;

/** Hooks for what a matcher matches. */
export interface CodexHookGroup {
  hooks: CodexHook[];
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  /** What the hooks of this group are for; none is all. */
  matcher?: string | null;
  [key: string]: unknown;
}

/** The hooks, by event. */
export interface CodexHookEvents {
  /** A matcher looks at the tool's name. */
  PermissionRequest?: CodexHookGroup[];
  /** A matcher looks at `trigger`. */
  PostCompact?: CodexHookGroup[];
  /** A matcher looks at the tool's name. */
  PostToolUse?: CodexHookGroup[];
  /** A matcher looks at `trigger`. */
  PreCompact?: CodexHookGroup[];
  /** A matcher looks at the tool's name. */
  PreToolUse?: CodexHookGroup[];
  /** A matcher looks at `reason`. */
  SessionEnd?: CodexHookGroup[];
  /** A matcher looks at `source`. */
  SessionStart?: CodexHookGroup[];
  /** Always: a matcher is ignored. */
  Stop?: CodexHookGroup[];
  /** A matcher looks at `agent_type`. */
  SubagentStart?: CodexHookGroup[];
  /** A matcher looks at `agent_type`. */
  SubagentStop?: CodexHookGroup[];
  /** Always: a matcher is ignored. */
  UserPromptSubmit?: CodexHookGroup[];
  managed_dir?: unknown;
  state?: unknown;
  windows_managed_dir?: unknown;
}

/** Hooks in the settings of Codex CLI. */
export interface CodexSettings {
  description?: unknown;
  hooks?: CodexHookEvents;
}

/** A hook of the type `command`. */
export interface GeminiCommandHook {
  type: "command";
  /** The line for the shell. */
  command: string;
  /** What the hook is for. */
  description?: unknown;
  /** Variables for the hook. */
  env?: Record<string, string | number | boolean>;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in milliseconds; 60000 when left out. */
  timeout?: number | null;
  /** Crosshook's own: the command is started once and answers each event, a line of JSON, with a line. */
  worker?: boolean | null | Record<string, unknown>;
}

/** A hook, told apart by `type`. */
export type GeminiHook = GeminiCommandHook;

/** Hooks for what a matcher matches. */
export interface GeminiHookGroup {
  hooks: GeminiHook[];
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  /** What the hooks of this group are for; none is all. */
  matcher?: string | null;
  [key: string]: unknown;
}

/** The hooks, by event. */
export interface GeminiHookEvents {
  /** Always: a matcher is ignored. */
  AfterAgent?: GeminiHookGroup[];
  /** Always: a matcher is ignored. */
  AfterModel?: GeminiHookGroup[];
  /** A matcher looks at the tool's name. */
  AfterTool?: GeminiHookGroup[];
  /** Always: a matcher is ignored. */
  BeforeAgent?: GeminiHookGroup[];
  /** Always: a matcher is ignored. */
  BeforeModel?: GeminiHookGroup[];
  /** A matcher looks at the tool's name. */
  BeforeTool?: GeminiHookGroup[];
  /** Always: a matcher is ignored. */
  BeforeToolSelection?: GeminiHookGroup[];
  /** Always: a matcher is ignored. */
  Notification?: GeminiHookGroup[];
  /** A matcher looks at `trigger`. */
  PreCompress?: GeminiHookGroup[];
  /** A matcher looks at `reason`. */
  SessionEnd?: GeminiHookGroup[];
  /** A matcher looks at `source`. */
  SessionStart?: GeminiHookGroup[];
}

export interface GeminiSettingsHooksConfig {
  /** Hooks that are switched off, by name, or by command when they have none. */
  disabled?: string[];
  /** false switches all hooks off. */
  enabled?: boolean;
  [key: string]: unknown;
}

export interface GeminiSettingsSecurityEnvironmentVariableRedaction {
  allowed?: string[];
  blocked?: string[];
  /** Hooks do not inherit variables that look like secrets. */
  enabled?: boolean;
  [key: string]: unknown;
}

export interface GeminiSettingsSecurity {
  environmentVariableRedaction?: GeminiSettingsSecurityEnvironmentVariableRedaction;
  [key: string]: unknown;
}

/** Hooks in the settings of Gemini CLI. */
export interface GeminiSettings {
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  hooks?: GeminiHookEvents;
  hooksConfig?: GeminiSettingsHooksConfig;
  security?: GeminiSettingsSecurity;
  [key: string]: unknown;
}

/** A hook of the type `command`. */
export interface QwenCommandHook {
  type: "command";
  /** The line for the shell. */
  command: string;
  /** The hook is started and not waited for. */
  async?: boolean | null;
  /** What the hook is for. */
  description?: unknown;
  /** Variables for the hook. */
  env?: Record<string, string | number | boolean>;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** What the hook is called. */
  name?: string | null;
  /** The shell's program. */
  shell?: true | string;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 60 when left out. */
  timeout?: number | null;
  /** Crosshook's own: the command is started once and answers each event, a line of JSON, with a line. */
  worker?: boolean | null | Record<string, unknown>;
}

/** A hook of the type `http`. */
export interface QwenHttpHook {
  type: "http";
  /** Where the event is sent. */
  url: string;
  allowedEnvVars?: unknown;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  headers?: unknown;
  /** A permission rule, as in `Bash(git *)`, that the tool call must match. */
  if?: string | null;
  /** What the hook is called. */
  name?: string | null;
  /** The hook runs once a session. */
  once?: boolean | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 600 when left out. */
  timeout?: number | null;
}

/** A hook of the type `prompt`. */
export interface QwenPromptHook {
  type: "prompt";
  /** What the model is asked; `$ARGUMENTS` stands for the event. */
  prompt: string;
  /** What the hook is for. */
  description?: unknown;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** The model that answers. */
  model?: string | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 30 when left out. */
  timeout?: number | null;
}

/** A hook, told apart by `type`. */
export type QwenHook = QwenCommandHook | QwenHttpHook | QwenPromptHook;

/** Hooks for what a matcher matches. */
export interface QwenHookGroup {
  hooks: QwenHook[];
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  /** What the hooks of this group are for; none is all. */
  matcher?: string | null;
  [key: string]: unknown;
}

/** The hooks, by event. */
export interface QwenHookEvents {
  /** A matcher looks at `file_path`. */
  InstructionsLoaded?: QwenHookGroup[];
  /** Always: a matcher is ignored. */
  MessageDisplay?: QwenHookGroup[];
  /** A matcher looks at `notification_type`. */
  Notification?: QwenHookGroup[];
  /** A matcher looks at the tool's name. */
  PermissionDenied?: QwenHookGroup[];
  /** A matcher looks at the tool's name. */
  PermissionRequest?: QwenHookGroup[];
  /** A matcher looks at `trigger`. */
  PostCompact?: QwenHookGroup[];
  /** Always: a matcher is ignored. */
  PostToolBatch?: QwenHookGroup[];
  /** A matcher looks at the tool's name. */
  PostToolUse?: QwenHookGroup[];
  /** A matcher looks at the tool's name. */
  PostToolUseFailure?: QwenHookGroup[];
  /** A matcher looks at `trigger`. */
  PreCompact?: QwenHookGroup[];
  /** A matcher looks at the tool's name. */
  PreToolUse?: QwenHookGroup[];
  /** Always: a matcher is ignored. */
  SessionDelete?: QwenHookGroup[];
  /** A matcher looks at `reason`. */
  SessionEnd?: QwenHookGroup[];
  /** A matcher looks at `source`. */
  SessionStart?: QwenHookGroup[];
  /** Always: a matcher is ignored. */
  Stop?: QwenHookGroup[];
  /** A matcher looks at `error`. */
  StopFailure?: QwenHookGroup[];
  /** A matcher looks at `agent_type`. */
  SubagentStart?: QwenHookGroup[];
  /** A matcher looks at `agent_type`. */
  SubagentStop?: QwenHookGroup[];
  /** Always: a matcher is ignored. */
  TodoCompleted?: QwenHookGroup[];
  /** Always: a matcher is ignored. */
  TodoCreated?: QwenHookGroup[];
  /** A matcher looks at `command_name`. */
  UserPromptExpansion?: QwenHookGroup[];
  /** Always: a matcher is ignored. */
  UserPromptSubmit?: QwenHookGroup[];
  disabled?: unknown;
  enabled?: unknown;
  notifications?: unknown;
}

export interface QwenSettingsSecurity {
  /** HTTP hooks may reach private networks. Not from a project's settings. */
  allowPrivateNetworkHooks?: boolean;
  /** Patterns of the URLs that HTTP hooks may reach. */
  allowedHttpHookUrls?: string[];
  [key: string]: unknown;
}

/** Hooks in the settings of Qwen Code. */
export interface QwenSettings {
  /** Switches all hooks off. */
  disableAllHooks?: boolean;
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  hooks?: QwenHookEvents;
  security?: QwenSettingsSecurity;
  /** How often in a row hooks may keep the agent from stopping. */
  stopHookBlockingCap?: number;
  [key: string]: unknown;
}

/** A hook of the type `process`. */
export interface ZcodeProcessHook {
  type: "process";
  /** The program to run, without a shell. */
  command: string;
  /** The program's arguments. */
  args?: string[];
  /** What the hook is for. */
  description?: unknown;
  /** false: the hook does not run. */
  enabled?: boolean | null;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** What the hook is called. */
  name?: string | null;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** Has no effect here; write `timeoutMs`. */
  timeout?: unknown;
  /** The time limit in milliseconds. */
  timeoutMs?: number;
  /** Crosshook's own: the command is started once and answers each event, a line of JSON, with a line. */
  worker?: boolean | null | Record<string, unknown>;
}

/** A hook of the type `command`. */
export interface ZcodeCommandHook {
  type: "command";
  /** The line for the shell. */
  command: string;
  /** The hook is started and not waited for. */
  async?: boolean | null;
  /** What the hook is for. */
  description?: unknown;
  /** false: the hook does not run. */
  enabled?: boolean | null;
  /** Whether the event goes on when the hook itself fails. */
  failMode?: "open" | "closed" | null;
  /** Whether the event goes on when the hook itself fails. */
  fail_mode?: "open" | "closed" | null;
  /** What the hook is called. */
  name?: string | null;
  /** The shell's program. */
  shell?: true | string;
  /** What is shown while the hook runs. */
  statusMessage?: string | null;
  /** The time limit in seconds; 60 when left out. */
  timeout?: number | null;
  /** The time limit in milliseconds. */
  timeoutMs?: number;
  /** Crosshook's own: the command is started once and answers each event, a line of JSON, with a line. */
  worker?: boolean | null | Record<string, unknown>;
}

/** A hook, told apart by `type`. */
export type ZcodeHook = ZcodeProcessHook | ZcodeCommandHook;

/** Hooks for what a matcher matches. */
export interface ZcodeHookGroup {
  hooks: ZcodeHook[];
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  /** What the hooks of this group are for; none is all. */
  matcher?: string | null;
  [key: string]: unknown;
}

/** The hooks, by event. */
export interface ZcodeHookEvents {
  /** A matcher looks at the tool's name. */
  PermissionRequest?: ZcodeHookGroup[];
  /** A matcher looks at the tool's name. */
  PostToolUse?: ZcodeHookGroup[];
  /** A matcher looks at the tool's name. */
  PostToolUseFailure?: ZcodeHookGroup[];
  /** A matcher looks at the tool's name. */
  PreToolUse?: ZcodeHookGroup[];
  /** A matcher looks at `source`. */
  SessionStart?: ZcodeHookGroup[];
  /** Always: a matcher is ignored. */
  Stop?: ZcodeHookGroup[];
  /** Always: a matcher is ignored. */
  UserPromptSubmit?: ZcodeHookGroup[];
}

export interface ZcodeSettingsHooks {
  /** Hooks of settings run only when some trusted file says true. */
  enabled?: boolean;
  events?: ZcodeHookEvents;
  /** How much of a hook's output is kept, in bytes. */
  maxOutputBytes?: number;
  /** The time limit of a hook that has none of its own, in milliseconds. */
  timeoutMs?: number;
  [key: string]: unknown;
}

/** Hooks in the settings of ZCode. */
export interface ZcodeSettings {
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  failMode?: "open" | "closed" | null;
  /** Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself. */
  fail_mode?: "open" | "closed" | null;
  hooks?: ZcodeSettingsHooks;
  [key: string]: unknown;
}

/** The settings of each dialect. */
export interface DialectSettings {
  claude: ClaudeSettings;
  codebuddy: CodebuddySettings;
  codex: CodexSettings;
  gemini: GeminiSettings;
  qwen: QwenSettings;
  zcode: ZcodeSettings;
}
