//! An agent that does not exist, for tests alone: all that a dialect takes is in its file and in the list of `mod.rs`
//! (`docs/contributing/dialect.md`).

use std::time::Duration;

use super::names::{Names, ToolName, same, tool};
use super::{
    Aliases, Base, Cwd, Dedupe, Dialect, Effect, EnvRule, EnvValue, EventRule, Exit2, FileRule, HttpRule,
    Message, Order, PluginRule, PromptRule, Rewrites, SettingsRule, Shell, StdinRule, Target, Texts,
    TimeoutRule, TypeRule,
};
use crate::matcher::Style;
use crate::reply::exit::{blocked, failed, no_http, plain, silent, trimmed};
use crate::reply::verdict::objecting;
use crate::reply::{Exit, InputChange, Output, Reply, ReplyContext, output};
use crate::settings::Scope;

pub(super) static DIALECT: Dialect = Dialect {
    name: "invented",
    product: "Invented",
    events: &[
        EventRule {
            name: "BeforeStep",
            target: Target::Tool,
            effect: Effect::Permission,
            exit2: Exit2::Decide,
            ..EventRule::USUAL
        },
        EventRule { name: "Done", effect: Effect::Block, exit2: Exit2::Decide, ..EventRule::USUAL },
        EventRule { name: "Dreamt", ..EventRule::USUAL },
    ],
    names: &Names {
        events: &[("BeforeStep", "PreToolUse"), ("Done", "Stop")],
        modes: &[("free", "bypassPermissions")],
        tools: &[
            ToolName { name: "sh", means: "Bash", arguments: &[("line", "command")] },
            tool("put", "Write"),
            same("Read"),
        ],
        ..Names::COMMON
    },
    since: &[],
    settings: SettingsRule {
        files: &[FileRule { scope: Scope::Project, base: Base::Project, paths: &[".invented/hooks.json"] }],
        plugins: PluginRule { manifests: &[], ..PluginRule::USUAL },
        ..SettingsRule::USUAL
    },
    hook_types: &[TypeRule { name: "command", timeout: TimeoutRule::seconds(5), keys: &["command"] }],
    matching: Style::Literal,
    matching_before: &[],
    conditions: false,
    conditions_at_any_depth_before: None,
    empty_target_fires: false,
    aliases: Aliases {
        named: &[],
        pascal: &[],
        pascal_after: None,
        bare_underscore: false,
        in_patterns: false,
    },
    order: Order::Parallel,
    dedupe: Dedupe::Never,
    texts: Texts::USUAL,
    rewrites: Rewrites::LastConfigured,
    joins_permissions: false,
    stdin: StdinRule { newline: true, timestamp: false, aliases: &[], adjust: None },
    shell: Shell::FromEnv(&[]),
    cwd: Cwd::Event,
    env: &[EnvRule { names: &["INVENTED_DIR"], value: EnvValue::Cwd }],
    line_variables: &[],
    refused_placeholders: &[],
    withheld_env: &[],
    env_file: None,
    shell_prefix: None,
    output_limit: None,
    longest_text: None,
    grace: Some(Duration::from_secs(1)),
    stop_cap: None,
    delivers_late: false,
    late_message: Message::User,
    transcript: false,
    background_slots: None,
    read,
    http: HttpRule::NONE,
    respond: no_http,
    prompts: PromptRule { append: None, indent: false, escapes: false },
    judge: objecting,
    function_false: None,
    function_timeout_blocks: &[],
    context: None,
    render: |rendering| rendering.joined("\n"),
    combine: None,
    redaction: None,
    chain: None,
};

/// 9 denies with the text on standard output; an object on standard output is the whole new input.
fn read(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    match exit.code {
        9 => blocked(context, trimmed(exit.stdout)),
        0 => match output(exit.stdout) {
            Output::Empty => silent(context, exit),
            Output::Object(object) => {
                let input = crate::json::to_raw(object.text().trim()).map(InputChange::Replace);
                Reply { answered: true, input, ..Reply::default() }
            }
            Output::Text(text) | Output::Broken(_, text) => plain(context, text),
        },
        _ => failed(context, exit),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Code, Decision, Engine, Options};
    use serde_json::{Value, json};

    fn engine(main: &str, dialect: &str, event: &str, matcher: &str, line: &str) -> Engine {
        let hooks = json!([{"matcher": matcher, "hooks": [{"type": "command", "command": line}]}]);
        let options = json!({"dialect": main, "env": {"PATH": std::env::var("PATH").unwrap()},
            "settings": [{"dialect": dialect, "settings": {"hooks": {event: hooks}}}]});
        Engine::new(Options::from_json(&options.to_string()).unwrap()).unwrap()
    }

    fn step(tool: &str, input: Value) -> String {
        json!({"hook_event_name": "BeforeStep", "session_id": "s", "cwd": "/", "tool_name": tool, "tool_input": input,
            "permission_mode": "free"})
        .to_string()
    }

    #[test]
    fn its_own_hooks_run_by_its_rules() {
        let line = "read -r event; echo \"not in $INVENTED_DIR\"; exit 9";
        let engine = engine("invented", "invented", "BeforeStep", "sh", line);
        let outcome = engine.dispatch_blocking(step("sh", json!({"line": "ls"}))).unwrap();
        assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("not in /")));
        assert!(
            engine.dispatch_blocking(step("shx", json!({}))).unwrap().hooks.is_empty(),
            "matched as text"
        );
    }

    #[test]
    fn it_meets_the_others_without_a_word_about_them() {
        // Hooks of another dialect in its host: they read their own words, and it reads its own back.
        let line = r#"grep -q '"tool_input":{"command":"ls"},"tool_name":"run_shell_command"' &&
            echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"pwd"}}}'"#;
        let qwen = engine("invented", "qwen", "PreToolUse", "^run_shell_command$", line);
        let outcome = qwen.dispatch_blocking(step("sh", json!({"line": "ls"}))).unwrap();
        let input = |outcome: &crate::Outcome| outcome.updated_input.as_ref().map(|raw| raw.get().to_owned());
        assert_eq!(
            (outcome.decision, input(&outcome)),
            (Decision::Allow, Some(r#"{"line":"pwd"}"#.to_owned()))
        );
        // The other way round.
        let line = r#"grep -q '"permission_mode":"free","tool_name":"sh","tool_input":{"line":"ls"}' && echo '{"line":"pwd"}'"#;
        let own = engine("gemini", "invented", "BeforeStep", "sh", line);
        let event = r#"{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/","permission_mode":"bypassPermissions","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#;
        let outcome = own.dispatch_blocking(event).unwrap();
        assert_eq!(input(&outcome), Some(r#"{"command":"pwd"}"#.to_owned()));
        let dreams = engine("claude", "invented", "Dreamt", "", "exit 0").diagnostics();
        assert_eq!(dreams.iter().map(|found| found.code).collect::<Vec<_>>(), [Code::NoCounterpart]);
    }

    #[test]
    fn everything_that_asks_for_a_dialect_knows_it() {
        assert!(crate::dialect_names().contains(&"invented"));
        let schema = crate::settings_schema("invented").unwrap();
        assert!(schema.contains("\"BeforeStep\"") && schema.contains("\"command\""), "{schema}");
    }
}
