/**
 * The events a host hands over. Fields are those of the agents' own documentation, in snake_case; ZCode hosts may use
 * camelCase for all of them. The engine hands on what it does not know, so further fields are always welcome.
 */

/** A tool call: what it is and with what input. */
export interface ToolCall {
  /** The tool's name as the agent knows it, for example `"Bash"`. Matchers of tool events look at it. */
  tool_name: string;
  /** The tool's input, an object for nearly all tools. */
  tool_input: unknown;
  /** The agent's identifier of this call. */
  tool_use_id?: string;
}

/** What an event has beside {@link EventBase}, by its name. A host may add events of its own by declaration merging. */
export interface EventFields {
  /** Before a tool runs. The hooks can allow, ask, defer or deny, and rewrite the input. */
  PreToolUse: ToolCall;
  /** After a tool ran. The hooks can block with feedback and replace the output. */
  PostToolUse: ToolCall & { /** What the tool gave. */ tool_response: unknown };
  /** After a tool failed. */
  PostToolUseFailure: ToolCall & { /** What went wrong. */ error: unknown; is_interrupt?: boolean };
  /** After a batch of tool calls (Qwen Code, Claude Code). */
  PostToolBatch: { /** The calls with their results. */ tool_calls: readonly unknown[] };
  /** The agent is about to ask the user for a permission. The hooks can answer in the user's place. */
  PermissionRequest: ToolCall & { permission_suggestions?: unknown };
  /** A permission was denied. */
  PermissionDenied: ToolCall & { reason?: string };
  /** The user sent a prompt. The hooks can refuse it or add context. */
  UserPromptSubmit: { /** The prompt's text. */ prompt: string };
  /** A command of the user was expanded to a prompt. */
  UserPromptExpansion: { command_name: string; command_args?: string; prompt?: string };
  /** A session begins. */
  SessionStart: { /** Why: `startup`, `resume`, `clear`, `compact`, ... */ source: string; model?: string };
  /** A session ends. */
  SessionEnd: { /** Why it ends. */ reason: string };
  /** The agent is about to stop. The hooks can make it go on. */
  Stop: { /** Whether it goes on already because of a stop hook. */ stop_hook_active?: boolean; last_assistant_message?: string };
  /** A turn ended with an error. */
  StopFailure: { error: unknown };
  /** A subagent begins. */
  SubagentStart: { agent_id?: string; agent_type?: string };
  /** A subagent is about to stop. The hooks can make it go on. */
  SubagentStop: { stop_hook_active?: boolean; agent_id?: string; agent_type?: string };
  /** The conversation is about to be compacted. */
  PreCompact: { /** `manual` or `auto`. */ trigger: string; custom_instructions?: string };
  /** The conversation was compacted. */
  PostCompact: { trigger: string; compact_summary?: string };
  /** The agent tells the user something. */
  Notification: { message: string; notification_type?: string; title?: string };
  /** A todo was made (Qwen Code). The hooks can refuse it. */
  TodoCreated: { todo_id: string; todo_content: string; todo_status?: string; phase?: string };
  /** A todo was completed (Qwen Code). */
  TodoCompleted: { todo_id: string; todo_content: string; previous_status?: string; phase?: string };
  /** A file of instructions was loaded. */
  InstructionsLoaded: { file_path: string; memory_type?: string; load_reason?: string };
  /** A session is set up (Claude Code, CodeBuddy). */
  Setup: { /** `init` or `maintenance`. */ trigger: string };
  /** A task is made (Claude Code, CodeBuddy). The hooks can refuse it. */
  TaskCreated: { task_id: string; task_subject: string; task_description?: string; teammate_name?: string; team_name?: string };
  /** A task is completed (Claude Code, CodeBuddy). The hooks can refuse that. */
  TaskCompleted: { task_id: string; task_subject: string; task_description?: string; teammate_name?: string; team_name?: string };
  /** A teammate has nothing to do (Claude Code, CodeBuddy). The hooks can make it go on. */
  TeammateIdle: { teammate_name: string; team_name?: string };
  /** The settings changed (Claude Code, CodeBuddy). The hooks can refuse that. */
  ConfigChange: { source: string; file_path?: string };
  /** The working directory changed (Claude Code, CodeBuddy). */
  CwdChanged: { old_cwd?: string; new_cwd?: string };
  /** A watched file changed (Claude Code, CodeBuddy). */
  FileChanged: { file_path: string; event?: string };
  /** A directory was added to the session (Claude Code). */
  DirectoryAdded: { directory: string; source?: string };
  /** A worktree is wanted (Claude Code, CodeBuddy). A hook makes it and gives its path. */
  WorktreeCreate: { name: string };
  /** A worktree is removed (Claude Code, CodeBuddy). */
  WorktreeRemove: { worktree_path: string };
  /** An MCP server asks the user something (Claude Code, CodeBuddy). The hooks can answer in the user's place. */
  Elicitation: { mcp_server_name: string; message?: string; requested_schema?: unknown };
  /** The user has answered an MCP server (Claude Code, CodeBuddy). The hooks can change the answer. */
  ElicitationResult: { mcp_server_name: string; action?: string; content?: unknown };
  /** The model is about to be switched (Claude Code). The hooks can refuse that. */
  PreModelSwitch: { from_model?: string; to_model: string; source?: string };
  /** The model was switched (Claude Code). */
  PostModelSwitch: { from_model?: string; to_model: string; source?: string };
  /** Before a tool runs (Gemini CLI). The hooks can deny, ask and change the input. */
  BeforeTool: ToolCall;
  /** After a tool ran (Gemini CLI). The hooks can hide the result and add context. */
  AfterTool: ToolCall & { /** What the tool gave. */ tool_response: unknown };
  /** The user sent a prompt (Gemini CLI). The hooks can refuse it or add context. */
  BeforeAgent: { /** The prompt's text. */ prompt: string };
  /** The agent has answered (Gemini CLI). The hooks can make it try again. */
  AfterAgent: { prompt: string; prompt_response: string; stop_hook_active?: boolean };
  /** The model is about to be asked (Gemini CLI). The hooks can refuse, change the request or answer in its place. */
  BeforeModel: { llm_request: unknown };
  /** The model has answered (Gemini CLI). The hooks can refuse or replace the answer. */
  AfterModel: { llm_request: unknown; llm_response: unknown };
  /** The model's tools are about to be chosen (Gemini CLI). The hooks can restrict them. */
  BeforeToolSelection: { llm_request: unknown };
  /** The conversation is about to be compressed (Gemini CLI). */
  PreCompress: { /** `manual` or `auto`. */ trigger: string };
  /** A message is shown (Qwen Code, Claude Code). */
  MessageDisplay: { message_id: string; displayed_text?: string; is_final?: boolean; delta?: string; final?: boolean };
}

/** The names of the events that {@link EventFields} describes. The engine takes any other name too. */
export type EventName = keyof EventFields;

/** What all events have. What the engine knows and the host leaves out is filled in. */
export interface EventBase {
  /** The session's identifier. */
  session_id?: string;
  /** The file with the session's transcript. */
  transcript_path?: string;
  /** The agent's working directory, absolute. Hooks run there. */
  cwd?: string;
  /** The agent's permission mode. */
  permission_mode?: string;
}

/** The event called `Name`. */
export type HookEvent<Name extends string = string> = EventBase & {
  /** The event's name. */
  hook_event_name: Name;
} & (Name extends EventName ? EventFields[Name] : unknown);

/** The same as ZCode writes it: with `hookEventName`, and all other fields in camelCase. */
export interface CamelCaseEvent<Name extends string = string> {
  /** The event's name. */
  hookEventName: Name;
}

/** Any event that {@link EventFields} describes, told apart by `hook_event_name`. */
export type KnownEvent = { [Name in EventName]: HookEvent<Name> }[EventName];
