/** What a host does with an engine between events. */
import type { HookNote } from "./callbacks.js";
import type { Dialect } from "./options.js";
import type { Diagnostic, HookStatus, ListedHook, Origin } from "./outcome.js";

/** A plugin or extension, when it needs more than its folder. */
export interface PluginSource {
  /** Its folder. */
  path: string;
  /** The dialect by which it is read. Default: that of the engine. One folder may be listed for several. */
  dialect?: Dialect;
  /** Its id, which names its data folder. Default: its name. */
  id?: string;
  /** The folder for its data. Default: as its dialect says, below the home directory. */
  dataDir?: string;
  /** Whether its hooks run; those of a disabled plugin are listed only. Default: true. */
  enabled?: boolean;
  /** Whether an organisation's settings force it: then its hooks count as managed (Claude Code). Default: false. */
  managed?: boolean;
  /** The values of its options, for dialects that hand them to hooks. */
  options?: Readonly<Record<string, string>>;
}

/** What became of something that was registered. */
export interface Registered {
  /** Removes it again. */
  id: string;
  /** How many hooks it holds, those that cannot run included. */
  hooks: number;
  /** What was noticed. */
  diagnostics: Diagnostic[];
}

/** What differs between the settings as they are and the set that runs. */
export interface Changes {
  /** Files that came, went, have another content, or cannot be read or parsed. */
  files: { path: string; change: "added" | "changed" | "removed" | "broken" }[];
  /** Hooks that are not in the set. */
  added: ListedHook[];
  /** Hooks that are in the set in another form. */
  changed: { before: ListedHook; after: ListedHook }[];
  /** Hooks of the set that are not there any more. */
  removed: ListedHook[];
  /** What cannot be taken over, and why. */
  diagnostics: Diagnostic[];
}

/** An agent or skill that starts. */
export interface FrontmatterScope {
  /** What has the frontmatter. */
  owner: "agent" | "skill";
  /** Who brought it. */
  source: "builtin" | "user" | "project" | "plugin";
  /** The whole Markdown file. */
  text: string;
  /** The dialect by which its frontmatter is read. Default: that of the engine. */
  dialect?: Dialect;
  /** Its name, for messages. Default: `name` of the frontmatter. */
  name?: string;
  /** Its path, for messages and for the variable that holds a skill's folder. */
  path?: string;
  /** Only events with this `session_id` fire its hooks. Default: those of every session. */
  sessionId?: string;
  /** Only events with this `agent_id` fire its hooks. Default: those of every agent. */
  agentId?: string;
}

/** What lets the hooks of a declaration run. */
export interface Grant {
  /** The workspace it is for. */
  workspace: string;
  /** The declaration; any change of it ends the grant. */
  digest: string;
}

/** A declaration whose hooks would run if it were granted. */
export interface WantedGrant {
  /** The workspace it is for. */
  workspace: string;
  /** What {@link Engine.grant} takes. */
  digest: string;
  /** Where it is declared. */
  origin: Origin;
  /** What it declares, for the person who decides. */
  hooks: ListedHook[];
}

/** A background hook that runs. */
export interface BackgroundHook {
  /** Unique within the engine. */
  number: number;
  /** The hook. */
  hook: HookNote;
  /** The event that started it. */
  event: string;
  /** How long it has been running, in milliseconds. */
  running_ms: number;
}

/** What a background hook had to say after its event was over. */
export interface LateResult {
  /** Unique within the engine. */
  number: number;
  /** The hook. */
  hook: HookNote;
  /** The event that started it. */
  event: string;
  /** The event's session. */
  session_id: string | null;
  /** How it ended. */
  status: HookStatus;
  /** For the model. */
  additional_context: string | null;
  /** For the user. */
  system_message: string | null;
  /** What wakes the model, also when it waits for the user (Claude Code's `asyncRewake`). */
  wake: string | null;
  /** What failed. */
  error: string | null;
}

/** A session's goal. */
export interface Goal {
  /** What is to be reached. */
  condition: string;
  /** How it stands. */
  status: "active" | "met" | "impossible";
  /** Turns spent on it, as the host counted them. */
  turns: number;
  /** Tokens spent on it, as the host counted them. */
  tokens: number;
  /** How often it was judged. */
  checks: number;
  /** What the last verdict said. */
  last_reason: string | null;
  /** When it was set (RFC 3339, UTC). */
  set_at: string;
}
