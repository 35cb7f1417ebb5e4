// The events of the agents.
// Made by tests/schema/generate.py from core/schema; do not edit.

/** What all events have. What the engine knows and the host leaves out is filled in. */
export interface EventBase {
  /** The session's identifier. */
  session_id?: string;
  /** The file with the session's transcript; null when there is none. */
  transcript_path?: string | null;
  /** The agent's working directory, absolute. Hooks run there. */
  cwd?: string;
  /** The agent's permission mode, in its own words. */
  permission_mode?: string;
  /** When it happened, ISO 8601. */
  timestamp?: string;
  /** Codex CLI: identifies the turn. */
  turn_id?: string;
  /** Codex CLI: the model in use. */
  model?: string;
  /** Qwen Code, Claude Code: identifies the prompt that led here. */
  prompt_id?: string;
  /** The subagent in which it happened. */
  agent_id?: string;
  /** The kind of that subagent. */
  agent_type?: string;
}

/** A tool call: what it is and with what input. */
export interface ToolCall {
  /** The tool's name as the agent knows it, for example `"Bash"`. Matchers of tool events look at it. */
  tool_name: string;
  /** The tool's input, an object for nearly all tools. */
  tool_input: unknown;
  /** The agent's identifier of this call. */
  tool_use_id?: string;
}

/** What PreToolUse has. */
export interface PreToolUseFields extends ToolCall {
  /** Qwen Code: the model's identifier of the call. */
  tool_call_id?: string;
  /** ZCode: how risky the call is. */
  riskLevel?: string;
  /** ZCode: what the call may change. */
  sideEffectScope?: string;
}

/** What PostToolUse has. */
export interface PostToolUseFields extends ToolCall {
  /** What the tool gave. */
  tool_response: unknown;
  /** How long it took, in milliseconds. */
  duration_ms?: number;
}

/** What PostToolUseFailure has. */
export interface PostToolUseFailureFields extends ToolCall {
  /** What went wrong. */
  error: unknown;
  /** Whether the user interrupted the tool. */
  is_interrupt?: boolean;
  /** ZCode: the error as an object. */
  error_details?: unknown;
  /** How long it took, in milliseconds. */
  duration_ms?: number;
}

/** What PostToolBatch has. */
export interface PostToolBatchFields {
  /** The calls with their results. */
  tool_calls: unknown[];
}

/** What PermissionRequest has. */
export interface PermissionRequestFields extends ToolCall {
  /** Rules that the agent would offer the user. */
  permission_suggestions?: unknown;
}

/** What PermissionDenied has. */
export interface PermissionDeniedFields extends ToolCall {
  /** Why. */
  reason?: string;
}

/** What UserPromptSubmit has. */
export interface UserPromptSubmitFields {
  /** The prompt's text. */
  prompt: string;
  /** Qwen Code: the prompt as typed, before it was changed. */
  submitted_prompt?: string;
  /** Claude Code: the session's title. */
  session_title?: string;
}

/** What UserPromptExpansion has. */
export interface UserPromptExpansionFields {
  /** The command. */
  command_name: string;
  /** Its arguments. */
  command_args?: string;
  /** What it was expanded to. */
  prompt?: string;
  /** Claude Code: what was expanded. */
  expansion_type?: string;
  /** Claude Code: where the command comes from. */
  command_source?: string;
}

/** What SessionStart has. */
export interface SessionStartFields {
  /** Why: `startup`, `resume`, `clear`, `compact`, ... */
  source: string;
  /** Claude Code: the session's title. */
  session_title?: string;
}

/** What SessionEnd has. */
export interface SessionEndFields {
  /** Why it ends. */
  reason: string;
}

/** What SessionDelete has. */
export interface SessionDeleteFields {
  /** The session. */
  deleted_session_id: string;
}

/** What Stop has. */
export interface StopFields {
  /** Whether it goes on already because of a stop hook. */
  stop_hook_active?: boolean;
  /** The agent's last words. */
  last_assistant_message?: string;
  /** What still runs in the background. */
  background_tasks?: unknown[];
  /** Qwen Code: what is planned. */
  crons?: unknown[];
  /** Claude Code: what is planned. */
  session_crons?: unknown[];
  /** Qwen Code: how full the context is. */
  context_usage?: number;
  /** Qwen Code: the context's size, in tokens. */
  context_limit?: number;
  /** Qwen Code: the size of the last request, in tokens. */
  input_tokens?: number;
}

/** What StopFailure has. */
export interface StopFailureFields {
  /** What failed. */
  error: unknown;
  /** More about it. */
  error_details?: unknown;
  /** The agent's last words. */
  last_assistant_message?: string;
}

/** What SubagentStart has. */
export interface SubagentStartFields {
}

/** What SubagentStop has. */
export interface SubagentStopFields {
  /** Whether it goes on already because of a stop hook. */
  stop_hook_active?: boolean;
  /** The subagent's last words. */
  last_assistant_message?: string;
  /** The file that holds the subagent's transcript; null when there is none. */
  agent_transcript_path?: string | null;
  /** What still runs in the background. */
  background_tasks?: unknown[];
  /** Qwen Code: what is planned. */
  crons?: unknown[];
}

/** What PreCompact has. */
export interface PreCompactFields {
  /** `manual` or `auto`. */
  trigger: string;
  /** What the user wants kept. */
  custom_instructions?: string;
}

/** What PostCompact has. */
export interface PostCompactFields {
  /** `manual` or `auto`. */
  trigger: string;
  /** What the conversation was compacted to. */
  compact_summary?: string;
}

/** What Notification has. */
export interface NotificationFields {
  /** Its text. */
  message: string;
  /** Its kind. */
  notification_type?: string;
  /** Its heading. */
  title?: string;
}

/** What TodoCreated has. */
export interface TodoCreatedFields {
  /** Identifies the todo. */
  todo_id: string;
  /** Its text. */
  todo_content: string;
  /** How it stands. */
  todo_status?: string;
  /** `validation`: it can still be refused; `postWrite`: it is written. */
  phase?: string;
  /** The whole list. */
  all_todos?: unknown[];
}

/** What TodoCompleted has. */
export interface TodoCompletedFields {
  /** Identifies the todo. */
  todo_id: string;
  /** Its text. */
  todo_content: string;
  /** How it stood before. */
  previous_status?: string;
  /** `validation`: it can still be refused; `postWrite`: it is written. */
  phase?: string;
  /** The whole list. */
  all_todos?: unknown[];
}

/** What InstructionsLoaded has. */
export interface InstructionsLoadedFields {
  /** The file. */
  file_path: string;
  /** Whose instructions they are. */
  memory_type?: string;
  /** Why it was loaded. */
  load_reason?: string;
  /** Claude Code: the patterns that named it. */
  globs?: unknown;
  /** The file that made it load. */
  trigger_file_path?: string;
  /** The file that includes it. */
  parent_file_path?: string;
}

/** What Setup has. */
export interface SetupFields {
  /** `init` or `maintenance`. */
  trigger: string;
}

/** What TaskCreated has. */
export interface TaskCreatedFields {
  /** Identifies the task. */
  task_id: string;
  /** What it is about. */
  task_subject: string;
  /** More about it. */
  task_description?: string;
  /** The teammate. */
  teammate_name?: string;
  /** The team. */
  team_name?: string;
}

/** What TaskCompleted has. */
export interface TaskCompletedFields {
  /** Identifies the task. */
  task_id: string;
  /** What it is about. */
  task_subject: string;
  /** More about it. */
  task_description?: string;
  /** The teammate. */
  teammate_name?: string;
  /** The team. */
  team_name?: string;
}

/** What TeammateIdle has. */
export interface TeammateIdleFields {
  /** The teammate. */
  teammate_name: string;
  /** The team. */
  team_name?: string;
}

/** What ConfigChange has. */
export interface ConfigChangeFields {
  /** Which settings. */
  source: string;
  /** Their file. */
  file_path?: string;
}

/** What CwdChanged has. */
export interface CwdChangedFields {
  /** Where it was. */
  old_cwd?: string;
  /** Where it is now. */
  new_cwd?: string;
}

/** What FileChanged has. */
export interface FileChangedFields {
  /** The file. */
  file_path: string;
  /** What became of it. */
  event?: string;
}

/** What DirectoryAdded has. */
export interface DirectoryAddedFields {
  /** The directory. */
  directory: string;
  /** How it was added. */
  source?: string;
}

/** What WorktreeCreate has. */
export interface WorktreeCreateFields {
  /** What it is to be called. */
  name: string;
}

/** What WorktreeRemove has. */
export interface WorktreeRemoveFields {
  /** Its path. */
  worktree_path: string;
}

/** What Elicitation has. */
export interface ElicitationFields {
  /** The server. */
  mcp_server_name: string;
  /** What it asks. */
  message?: string;
  /** The form of the answer, as JSON Schema. */
  requested_schema?: unknown;
  /** `form` or `url`. */
  mode?: string;
  /** What the user is to visit. */
  url?: string;
  /** Identifies the question. */
  elicitation_id?: string;
}

/** What ElicitationResult has. */
export interface ElicitationResultFields {
  /** The server. */
  mcp_server_name: string;
  /** `accept`, `decline` or `cancel`. */
  action?: string;
  /** What was answered. */
  content?: unknown;
}

/** What PreModelSwitch has. */
export interface PreModelSwitchFields {
  /** The model from now on. */
  to_model: string;
  /** The model until now. */
  from_model?: string;
  /** What switched it. */
  source?: string;
}

/** What PostModelSwitch has. */
export interface PostModelSwitchFields {
  /** The model from now on. */
  to_model: string;
  /** The model until now. */
  from_model?: string;
  /** What switched it. */
  source?: string;
}

/** What BeforeTool has. */
export interface BeforeToolFields extends ToolCall {
}

/** What AfterTool has. */
export interface AfterToolFields extends ToolCall {
  /** What the tool gave. */
  tool_response: unknown;
}

/** What BeforeAgent has. */
export interface BeforeAgentFields {
  /** The prompt's text. */
  prompt: string;
}

/** What AfterAgent has. */
export interface AfterAgentFields {
  /** The prompt's text. */
  prompt: string;
  /** What the agent answered. */
  prompt_response: string;
  /** Whether it tries again already because of a hook. */
  stop_hook_active?: boolean;
}

/** What BeforeModel has. */
export interface BeforeModelFields {
  /** What the model is asked. */
  llm_request: unknown;
}

/** What AfterModel has. */
export interface AfterModelFields {
  /** What the model was asked. */
  llm_request: unknown;
  /** What it answered. */
  llm_response: unknown;
}

/** What BeforeToolSelection has. */
export interface BeforeToolSelectionFields {
  /** What the model is asked. */
  llm_request: unknown;
}

/** What PreCompress has. */
export interface PreCompressFields {
  /** `manual` or `auto`. */
  trigger: string;
}

/** What MessageDisplay has. */
export interface MessageDisplayFields {
  /** Identifies the message. */
  message_id: string;
  /** Qwen Code: all that was shown so far. */
  displayed_text?: string;
  /** Qwen Code: whether it is finished. */
  is_final?: boolean;
  /** Claude Code: what was shown since. */
  delta?: string;
  /** Claude Code: whether it is finished. */
  final?: boolean;
  /** Claude Code: which part of the message. */
  index?: number;
}

/** What an event has beside {@link EventBase}, by its name. A host may add events of its own by declaration merging. */
export interface EventFields {
  /** Before a tool runs. The hooks can allow, ask, defer or deny, and rewrite the input. */
  PreToolUse: PreToolUseFields;
  /** After a tool ran. The hooks can block with feedback and replace the output. */
  PostToolUse: PostToolUseFields;
  /** After a tool failed. */
  PostToolUseFailure: PostToolUseFailureFields;
  /** After a batch of tool calls (Qwen Code, Claude Code). */
  PostToolBatch: PostToolBatchFields;
  /** The agent is about to ask the user for a permission. The hooks can answer in the user's place. */
  PermissionRequest: PermissionRequestFields;
  /** A permission was denied. */
  PermissionDenied: PermissionDeniedFields;
  /** The user sent a prompt. The hooks can refuse it or add context. */
  UserPromptSubmit: UserPromptSubmitFields;
  /** A command of the user was expanded to a prompt. */
  UserPromptExpansion: UserPromptExpansionFields;
  /** A session begins. */
  SessionStart: SessionStartFields;
  /** A session ends. */
  SessionEnd: SessionEndFields;
  /** A session is deleted (Qwen Code). */
  SessionDelete: SessionDeleteFields;
  /** The agent is about to stop. The hooks can make it go on. */
  Stop: StopFields;
  /** A turn ended with an error. */
  StopFailure: StopFailureFields;
  /** A subagent begins. */
  SubagentStart: SubagentStartFields;
  /** A subagent is about to stop. The hooks can make it go on. */
  SubagentStop: SubagentStopFields;
  /** The conversation is about to be compacted. */
  PreCompact: PreCompactFields;
  /** The conversation was compacted. */
  PostCompact: PostCompactFields;
  /** The agent tells the user something. */
  Notification: NotificationFields;
  /** A todo was made (Qwen Code). The hooks can refuse it. */
  TodoCreated: TodoCreatedFields;
  /** A todo was completed (Qwen Code). */
  TodoCompleted: TodoCompletedFields;
  /** A file of instructions was loaded. */
  InstructionsLoaded: InstructionsLoadedFields;
  /** A session is set up (Claude Code, CodeBuddy). */
  Setup: SetupFields;
  /** A task is made (Claude Code, CodeBuddy). The hooks can refuse it. */
  TaskCreated: TaskCreatedFields;
  /** A task is completed (Claude Code, CodeBuddy). The hooks can refuse that. */
  TaskCompleted: TaskCompletedFields;
  /** A teammate has nothing to do (Claude Code, CodeBuddy). The hooks can make it go on. */
  TeammateIdle: TeammateIdleFields;
  /** The settings changed (Claude Code, CodeBuddy). The hooks can refuse that. */
  ConfigChange: ConfigChangeFields;
  /** The working directory changed (Claude Code, CodeBuddy). */
  CwdChanged: CwdChangedFields;
  /** A watched file changed (Claude Code, CodeBuddy). */
  FileChanged: FileChangedFields;
  /** A directory was added to the session (Claude Code). */
  DirectoryAdded: DirectoryAddedFields;
  /** A worktree is wanted (Claude Code, CodeBuddy). A hook makes it and gives its path. */
  WorktreeCreate: WorktreeCreateFields;
  /** A worktree is removed (Claude Code, CodeBuddy). */
  WorktreeRemove: WorktreeRemoveFields;
  /** An MCP server asks the user something (Claude Code, CodeBuddy). The hooks can answer in the user's place. */
  Elicitation: ElicitationFields;
  /** The user has answered an MCP server (Claude Code, CodeBuddy). The hooks can change the answer. */
  ElicitationResult: ElicitationResultFields;
  /** The model is about to be switched (Claude Code). The hooks can refuse that. */
  PreModelSwitch: PreModelSwitchFields;
  /** The model was switched (Claude Code). */
  PostModelSwitch: PostModelSwitchFields;
  /** Before a tool runs (Gemini CLI). The hooks can deny, ask and change the input. */
  BeforeTool: BeforeToolFields;
  /** After a tool ran (Gemini CLI). The hooks can hide the result and add context. */
  AfterTool: AfterToolFields;
  /** The user sent a prompt (Gemini CLI). The hooks can refuse it or add context. */
  BeforeAgent: BeforeAgentFields;
  /** The agent has answered (Gemini CLI). The hooks can make it try again. */
  AfterAgent: AfterAgentFields;
  /** The model is about to be asked (Gemini CLI). The hooks can refuse, change the request or answer in its place. */
  BeforeModel: BeforeModelFields;
  /** The model has answered (Gemini CLI). The hooks can refuse or replace the answer. */
  AfterModel: AfterModelFields;
  /** The model's tools are about to be chosen (Gemini CLI). The hooks can restrict them. */
  BeforeToolSelection: BeforeToolSelectionFields;
  /** The conversation is about to be compressed (Gemini CLI). */
  PreCompress: PreCompressFields;
  /** A message is shown (Qwen Code, Claude Code). */
  MessageDisplay: MessageDisplayFields;
}

/** The names of the events that {@link EventFields} describes. The engine takes any other name too. */
export type EventName = keyof EventFields;

/** The events that are about a permission: their outcomes allow, ask, defer or deny. */
export type PermissionEventName = "PreToolUse" | "PermissionRequest" | "BeforeTool";

/** The names of the events that each dialect has. */
export interface DialectEvents {
  claude:
    | "ConfigChange"
    | "CwdChanged"
    | "DirectoryAdded"
    | "Elicitation"
    | "ElicitationResult"
    | "FileChanged"
    | "InstructionsLoaded"
    | "MessageDisplay"
    | "Notification"
    | "PermissionDenied"
    | "PermissionRequest"
    | "PostCompact"
    | "PostModelSwitch"
    | "PostToolBatch"
    | "PostToolUse"
    | "PostToolUseFailure"
    | "PreCompact"
    | "PreModelSwitch"
    | "PreToolUse"
    | "SessionEnd"
    | "SessionStart"
    | "Setup"
    | "Stop"
    | "StopFailure"
    | "SubagentStart"
    | "SubagentStop"
    | "TaskCompleted"
    | "TaskCreated"
    | "TeammateIdle"
    | "UserPromptExpansion"
    | "UserPromptSubmit"
    | "WorktreeCreate"
    | "WorktreeRemove";
  codebuddy:
    | "ConfigChange"
    | "CwdChanged"
    | "Elicitation"
    | "ElicitationResult"
    | "FileChanged"
    | "InstructionsLoaded"
    | "Notification"
    | "PermissionDenied"
    | "PermissionRequest"
    | "PostCompact"
    | "PostToolUse"
    | "PostToolUseFailure"
    | "PreCompact"
    | "PreToolUse"
    | "SessionEnd"
    | "SessionStart"
    | "Setup"
    | "Stop"
    | "StopFailure"
    | "SubagentStart"
    | "SubagentStop"
    | "TaskCompleted"
    | "TaskCreated"
    | "TeammateIdle"
    | "UserPromptSubmit"
    | "WorktreeCreate"
    | "WorktreeRemove";
  codex:
    | "PermissionRequest"
    | "PostCompact"
    | "PostToolUse"
    | "PreCompact"
    | "PreToolUse"
    | "SessionEnd"
    | "SessionStart"
    | "Stop"
    | "SubagentStart"
    | "SubagentStop"
    | "UserPromptSubmit";
  gemini:
    | "AfterAgent"
    | "AfterModel"
    | "AfterTool"
    | "BeforeAgent"
    | "BeforeModel"
    | "BeforeTool"
    | "BeforeToolSelection"
    | "Notification"
    | "PreCompress"
    | "SessionEnd"
    | "SessionStart";
  qwen:
    | "InstructionsLoaded"
    | "MessageDisplay"
    | "Notification"
    | "PermissionDenied"
    | "PermissionRequest"
    | "PostCompact"
    | "PostToolBatch"
    | "PostToolUse"
    | "PostToolUseFailure"
    | "PreCompact"
    | "PreToolUse"
    | "SessionDelete"
    | "SessionEnd"
    | "SessionStart"
    | "Stop"
    | "StopFailure"
    | "SubagentStart"
    | "SubagentStop"
    | "TodoCompleted"
    | "TodoCreated"
    | "UserPromptExpansion"
    | "UserPromptSubmit";
  zcode:
    | "PermissionRequest"
    | "PostToolUse"
    | "PostToolUseFailure"
    | "PreToolUse"
    | "SessionStart"
    | "Stop"
    | "UserPromptSubmit";
}
