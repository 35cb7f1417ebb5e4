// Compiled by `npm run check`, never run: what a TypeScript host may write, and what it may not.
import {
  CrosshookError,
  Engine,
  MessageDisplay,
  version,
  dialectNames,
  settingsSchema,
  type ClaudeSettings,
  type DialectSettings,
  type EventOf,
  type HookReport,
  type HostRequest,
  type KnownEvent,
  type KnownOutcome,
  type Notice,
  type Outcome,
} from "crosshook";
import { Block, serve } from "crosshook/worker";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_proof: Same<A, B>): void {}

const engine = new Engine({
  dialect: "qwen",
  settings: [{ scope: "project", settings: { hooks: {} } }, { scope: "user", path: "/home/me/settings.json" }],
  projectDir: "/project",
  failMode: "closed",
  env: { PATH: "/bin" },
});

// The outcome knows the event.
const pre = await engine.dispatch({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {}, more: 1 });
same<typeof pre, Outcome<"PreToolUse">>(true);
same<(typeof pre)["decision"], "none" | "allow" | "ask" | "defer" | "deny">(true);
const stop = engine.dispatchSync({ hook_event_name: "Stop", stop_hook_active: true });
same<(typeof stop)["decision"], "none" | "block">(true);
const other = await engine.dispatch({ hook_event_name: "SomethingNew", anything: [1] });
same<(typeof other)["decision"], "none" | "allow" | "ask" | "defer" | "deny" | "block">(true);
const camel = await engine.dispatch({ hookEventName: "PreToolUse", toolName: "Bash", toolInput: {} });
same<typeof camel, Outcome<"PreToolUse">>(true);

// JSON text in, JSON text out.
same<ReturnType<typeof asText>, Promise<string>>(true);
function asText() {
  return engine.dispatch('{"hook_event_name":"Stop"}', { signal: AbortSignal.timeout(1000) });
}
const bytes: Buffer = await engine.dispatch(new TextEncoder().encode('{"hook_event_name":"Stop"}'));
const bytesSync: Buffer = engine.dispatchSync(bytes);

// Events of a host's own types, and events told apart by their name.
interface MyEvent {
  hook_event_name: "UserPromptSubmit";
  prompt: string;
  mine: number;
}
declare const mine: MyEvent;
same<Awaited<ReturnType<typeof send>>, Outcome<"UserPromptSubmit">>(true);
function send() {
  return engine.dispatch(mine);
}
function describe(event: KnownEvent): string {
  return event.hook_event_name === "PostToolUse" ? String(event.tool_response) : event.hook_event_name;
}
declare const known: KnownEvent;
const anyOutcome: Outcome = await engine.dispatch(known);

// The events and settings of a dialect; outcomes told apart by their event.
const ofQwen: EventOf<"qwen"> = { hook_event_name: "TodoCreated", todo_id: "1", todo_content: "tests" };
if (ofQwen.hook_event_name === "TodoCreated") same<typeof ofQwen.todo_id, string>(true);
// @ts-expect-error ZCode has no such event
const ofZcode: EventOf<"zcode"> = { hook_event_name: "TodoCreated", todo_id: "1", todo_content: "tests" };
declare const outcomeOfAny: KnownOutcome;
if (outcomeOfAny.event === "Stop") same<typeof outcomeOfAny.decision, "none" | "block">(true);
const forClaude: ClaudeSettings = {
  model: "other things may stand there",
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true", async: true }] }] },
};
// @ts-expect-error there is no such type of hook in this dialect
const forQwen: DialectSettings["qwen"] = { hooks: { Stop: [{ hooks: [{ type: "mcp_tool", server: "s", tool: "t" }] }] } };
new Engine({ dialect: "claude", settings: forClaude });
const dialects: string[] = dialectNames();
const title: unknown = settingsSchema("qwen").title;
console.log(ofZcode, forQwen, dialects, title);

// A host's own event.
declare module "crosshook" {
  interface EventFields {
    HostOnly: { tide: number };
  }
}
const own = await engine.dispatch({ hook_event_name: "HostOnly", tide: 7 });
same<(typeof own)["decision"], "none" | "block">(true);

// Reports and errors.
const first: HookReport | undefined = anyOutcome.hooks[0];
const why: string | undefined = engine.explain(known)[0]?.why;
const codes: string[] = engine.diagnostics().map((diagnostic) => diagnostic.code);
try {
  await engine.dispatch("no JSON");
} catch (error) {
  if (error instanceof CrosshookError) {
    const line: number | null = error.details.line;
    const status: string | undefined = error.outcome?.hooks[0]?.status;
    console.log(error.code, line, status);
  }
}

// Functions of the host: the input knows the event, requests and notices are told apart.
const guarded = new Engine({
  dialect: "codebuddy",
  model: async (request, { signal }) => {
    same<typeof request.kind, "prompt">(true);
    const response = await fetch("http://localhost/v1", { signal, body: request.prompt });
    return response.ok ? await response.text() : { ok: false, reason: "no model" };
  },
  agent: ({ agent_type }) => `{"ok": ${agent_type === null}}`,
  plugins: ["/plugin", { path: "/other", enabled: false }],
});
const remove = guarded.hook("PreToolUse", { matcher: "Bash", timeout: 1000 }, (input) => {
  same<typeof input.hook_event_name, "PreToolUse">(true);
  if (input.tool_name !== "Bash") return;
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } };
});
const removed: boolean = remove();
guarded.hook("Stop", async () => undefined);
guarded.hook("SomethingNew", () => "text");
guarded.registerFunction({ event: "Stop", timeoutMs: 5, failMode: "closed" }, () => null);
const ask = (request: HostRequest): string => (request.kind === "agent" ? request.agent_type ?? "" : request.prompt ?? "");
const stopWatching = guarded.watch((notice: Notice) => {
  switch (notice.type) {
    case "started":
      return console.log(notice.hook.status_message);
    case "finished":
    case "background_finished":
      return console.log(notice.status, notice.duration_ms);
    case "diagnostic":
      return console.log(notice.diagnostic.message);
  }
});
const listener: boolean = stopWatching();
const changed: string[] = guarded.reload().changed.map(({ after }) => after.label);
const digest: string | undefined = guarded.wantedGrants()[0]?.digest;
const scope = guarded.openScope({ owner: "agent", source: "user", text: "", sessionId: "s" });
const idle: boolean = await guarded.waitBackground({ timeout: 5, signal: AbortSignal.timeout(5) });
const goal = guarded.goal("s");
if (goal) guarded.restoreGoal("s", goal);
const text: string | null = guarded.renderContext(anyOutcome);
{
  using message = guarded.messageDisplay({ message_id: "m" });
  message.push("text");
  await message.finish({ timeout: 5000 });
}
console.log(removed, ask, listener, changed, digest, scope.id, idle, text);

serve((event) => {
  if (event.tool_input.command === "rm") throw new Block("no");
});
serve(async (event) => (event.tool_name === "Read" ? { systemMessage: "seen" } : "text"));

// What must not compile.
// @ts-expect-error a number is no answer
serve(() => 7);
// @ts-expect-error a PreToolUse has a tool
await engine.dispatch({ hook_event_name: "PreToolUse" });
// @ts-expect-error an event has a name
await engine.dispatch({ tool_name: "Bash" });
// @ts-expect-error a number is no event
engine.dispatchSync(7);
// @ts-expect-error the dialect is needed
new Engine({ settings: {} });
// @ts-expect-error there is no such fail mode
new Engine({ dialect: "qwen", failMode: "maybe" });
// @ts-expect-error a number is no answer
guarded.hook("Stop", () => 7);
guarded.hook("Stop", () => false);
// @ts-expect-error a model gives text or a verdict
new Engine({ dialect: "qwen", model: () => 7 });
// @ts-expect-error a message is made by the engine
new MessageDisplay();
// @ts-expect-error nothing can be told of a goal that is not there
guarded.goal("s").status;
// @ts-expect-error a Stop cannot be denied
stop.decision === "deny";

await using scoped = new Engine({ dialect: "zcode", settings: {} });
console.log(version, describe, bytesSync, first, why, codes, scoped.list().length);
await engine.close();
