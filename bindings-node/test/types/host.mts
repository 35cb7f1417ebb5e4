// Compiled by `npm run check`, never run: what a TypeScript host may write, and what it may not.
import { CrosshookError, Engine, version, type HookReport, type KnownEvent, type Outcome } from "crosshook";

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

// What must not compile.
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
// @ts-expect-error a Stop cannot be denied
stop.decision === "deny";

await using scoped = new Engine({ dialect: "zcode", settings: {} });
console.log(version, describe, bytesSync, first, why, codes, scoped.list().length);
await engine.close();
