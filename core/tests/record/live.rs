//! Replays by changed settings against what the changed engine gives itself: a replay that says `same` must be right.

use crosshook::{Engine, Outcome};
use serde_json::{Value, json};

use crate::Recording;

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'t, T: ?Sized>(&mut self, from: &[&'t T]) -> &'t T {
        from[self.below(from.len())]
    }
}

/// (The host's dialect, that of the hooks, their event, the event, the tool of the host.)
const PLACES: [(&str, &str, &str, &str, &str); 7] = [
    ("claude", "claude", "PreToolUse", "PreToolUse", "Bash"),
    ("codebuddy", "codebuddy", "PreToolUse", "PreToolUse", "Bash"),
    ("qwen", "qwen", "PreToolUse", "PreToolUse", "run_shell_command"),
    ("gemini", "gemini", "BeforeTool", "BeforeTool", "run_shell_command"),
    ("codex", "codex", "PreToolUse", "PreToolUse", "Bash"),
    ("qwen", "claude", "PreToolUse", "PreToolUse", "run_shell_command"),
    ("claude", "qwen", "PreToolUse", "PreToolUse", "Bash"),
];

const COMMANDS: [&str; 7] = [
    "curl --token abc http://e/ && rm x",
    "PASSWORD=hunter2 make",
    "rm -rf build # TOKEN=abc",
    "git push https://abc@host/",
    "ls",
    "rm x",
    "grep -r 'Bearer abcdefghijklmnopqrstuvwxyz' . ; cat /etc/passwd",
];

/// What hooks do; all of it hangs on what they are given.
const LINES: [&str; 12] = [
    "exit 0",
    "exit 1",
    "grep -q rm && exit 2; exit 0",
    "grep -q hunter2 && { echo no >&2; exit 2; }; exit 0",
    "grep -q '\"cmd\"' && exit 2; exit 0",
    "grep -q '\"two\"' && { echo two >&2; exit 2; }; exit 0",
    "test -z \"$X\" || { echo $X >&2; exit 2; }",
    ": one; printf '{\"hookSpecificOutput\":{\"hookEventName\":\"EVENT\",\"permissionDecision\":\"allow\",\"KEY\":{\"command\":\"two\"}}}'",
    ": three; printf '{\"hookSpecificOutput\":{\"hookEventName\":\"EVENT\",\"permissionDecision\":\"allow\",\"KEY\":{\"api_key\":\"three\"}}}'",
    ": four; printf '{\"hookSpecificOutput\":{\"hookEventName\":\"EVENT\",\"permissionDecision\":\"allow\",\"KEY\":{\"api_key\":\"four\"}}}'",
    "printf '{\"hookSpecificOutput\":{\"hookEventName\":\"EVENT\",\"additionalContext\":\"TOKEN=abc seen\"}}'",
    "printf '{\"systemMessage\":\"password=hunter2\"}'",
];

const RULES: [&str; 9] = [
    "",
    "",
    "Bash(rm *)",
    "Bash(curl --token abc *)",
    "Bash(*hunter2*)",
    "Bash",
    "Read",
    "Bash(git push *)",
    "Bash(ls)",
];

const ENVS: [&str; 4] = ["{}", "{}", r#"{"X":"1"}"#, r#"{"X":"2","API_KEY":"S3CRET"}"#];

const TOOLS: [&str; 5] = [
    "{}",
    "{}",
    r#"{"execute":{"name":"Bash","arguments":{"cmd":"command"}},"run":"Bash"}"#,
    r#"{"execute":"Bash"}"#,
    r#"{"execute":"Read"}"#,
];

/// What the host has taken out beside the usual secrets.
const REDACT: [&str; 6] = [
    "[]",
    "[]",
    r#"[{"pointer":"/tool_input/command"}]"#,
    r#"[{"key":"cmd"},{"key":"api_key"}]"#,
    r#"[{"pattern":"rm"}]"#,
    r#"[{"key":"updatedInput"},{"pointer":"/reason"}]"#,
];

fn hook(dice: &mut Dice, place: &(&str, &str, &str, &str, &str)) -> Value {
    let (key, rewrites) = match place.1 {
        "gemini" => ("tool_input", true),
        // Of several the one that ends last counts there.
        "codex" => ("updatedInput", false),
        _ => ("updatedInput", true),
    };
    let line = loop {
        let line = dice.pick(&LINES);
        if rewrites || !line.contains("KEY\\\"") && !line.contains("KEY\":{") {
            break line;
        }
    };
    let line = line.replace("EVENT", place.2).replace("\"KEY\"", &format!("\"{key}\""));
    let mut hook = json!({"type": "command", "command": line, "timeout": 60_000});
    let rule = dice.pick(&RULES);
    if !rule.is_empty() {
        hook["if"] = json!(rule);
    }
    hook["env"] = serde_json::from_str(dice.pick(&ENVS)).unwrap();
    if dice.below(5) == 0 {
        hook["failMode"] = json!("closed");
    }
    hook
}

fn group(dice: &mut Dice, place: &(&str, &str, &str, &str, &str)) -> Value {
    let hooks: Vec<Value> = (0..=dice.below(3)).map(|_| hook(dice, place)).collect();
    let matcher = dice.pick(&["*", "*", "Bash", "run_shell_command", "Read", "Bash|Write", "execute"]);
    json!({"matcher": matcher, "sequential": dice.below(3) == 0, "hooks": hooks})
}

/// One change, or none.
fn changed(
    dice: &mut Dice,
    place: &(&str, &str, &str, &str, &str),
    groups: &mut Vec<Value>,
    tools: &mut String,
) {
    let at = dice.below(groups.len());
    let count = groups[at]["hooks"].as_array().unwrap().len();
    let inner = dice.below(count);
    match dice.below(12) {
        0 => {}
        1 => groups.push(group(dice, place)),
        2 => groups[at]["matcher"] = json!(dice.pick(&["*", "Bash", "Read", "execute", "run_shell_command"])),
        3 => groups[at]["sequential"] = json!(!groups[at]["sequential"].as_bool().unwrap()),
        4 => groups[at]["hooks"].as_array_mut().unwrap().reverse(),
        5 => groups.reverse(),
        6 => groups[at]["hooks"][inner]["env"] = serde_json::from_str(dice.pick(&ENVS)).unwrap(),
        7 | 8 => {
            let rule = dice.pick(&RULES);
            let hook = groups[at]["hooks"][inner].as_object_mut().unwrap();
            hook.remove("if");
            if !rule.is_empty() {
                hook.insert("if".to_owned(), json!(rule));
            }
        }
        9 => groups[at]["hooks"][inner]["failMode"] = json!(dice.pick(&["open", "closed"])),
        10 => dice.pick(&TOOLS).clone_into(tools),
        _ => {
            let new = hook(dice, place);
            groups[at]["hooks"].as_array_mut().unwrap().push(new);
        }
    }
}

fn engine(
    place: &(&str, &str, &str, &str, &str),
    groups: &[Value],
    tools: &str,
    record: Option<(&Recording, &str)>,
) -> Engine {
    let settings = json!({"hooks": {place.2: groups}});
    let mut given = json!({
        "dialect": place.0,
        "settings": [{"dialect": place.1, "scope": "user", "settings": settings}],
        "tools": serde_json::from_str::<Value>(tools).unwrap(),
    });
    if let Some((recording, redact)) = record {
        given["record"] =
            json!({"path": recording.file, "redact": serde_json::from_str::<Value>(redact).unwrap()});
    }
    Engine::from_json(&given.to_string()).unwrap()
}

fn event(dice: &mut Dice, place: &(&str, &str, &str, &str, &str), tools: &str) -> String {
    let own = tools != "{}" || dice.below(5) == 0;
    let key = if own && dice.below(3) > 0 { "cmd" } else { "command" };
    let mut input = json!({key: dice.pick(&COMMANDS), "description": "see"});
    if dice.below(3) == 0 {
        input["api_key"] = json!("hunter2");
    }
    let tool = if own { "execute" } else { place.4 };
    json!({"hook_event_name": place.3, "session_id": "s", "cwd": "/", "tool_name": tool, "tool_input": input})
        .to_string()
}

/// What a host acts on, and how each hook ended.
fn facts(outcome: &Outcome) -> Value {
    let mut facts: Value = serde_json::from_str(&outcome.to_json()).unwrap();
    let hooks = facts["hooks"].as_array().unwrap().iter();
    let ended: Vec<Value> = hooks.map(|hook| json!([hook["status"], hook["decision"]])).collect();
    // In which place a hook stands is no difference.
    let mut ended: Vec<String> = ended.iter().map(Value::to_string).collect();
    ended.sort();
    facts["hooks"] = json!(ended);
    let facts = facts.as_object_mut().unwrap();
    facts.remove("diagnostics");
    facts.remove("duration_ms");
    json!(facts)
}

#[test]
fn a_replay_that_says_the_same_is_right() {
    let mut dice = Dice(20_261_201);
    let (mut right, mut told, mut cautious, mut secrets) = (0, 0, 0, 0);
    for round in 0..ROUNDS {
        let place = &PLACES[dice.below(PLACES.len())];
        let mut tools = dice.pick(&TOOLS).to_owned();
        let mut groups: Vec<Value> = (0..=dice.below(2)).map(|_| group(&mut dice, place)).collect();
        let event = event(&mut dice, place, &tools);
        let recording = Recording::new();
        let then = engine(place, &groups, &tools, Some((&recording, dice.pick(&REDACT))))
            .dispatch_blocking(event.clone())
            .unwrap();
        let line = recording.last();
        assert!(
            !line.contains("hunter2") || line.contains("*hunter2*") || line.contains("grep -q hunter2"),
            "{line}"
        );
        secrets += usize::from(
            !recording.values()[0]["redacted"].is_null() && recording.values()[0]["redacted"] != 0,
        );
        let alone = crosshook::replay(&line).unwrap();
        assert!(alone.same, "round {round}: {:?}\n{line}", alone.differences);
        let before = groups.clone();
        for _ in 0..=dice.below(3) {
            changed(&mut dice, place, &mut groups, &mut tools);
        }
        let today = engine(place, &groups, &tools, None);
        let again = today.replay(&line).unwrap();
        let now = today.dispatch_blocking(event.clone()).unwrap();
        let equal = facts(&then) == facts(&now);
        match (again.same, equal) {
            (true, true) => right += 1,
            (false, false) => told += 1,
            (false, true) => cautious += 1,
            (true, false) => panic!(
                "round {round}: the replay says the same, and it is\n{}\nand was\n{}\n{place:?} {event}\n{}\n{}\n{line}",
                facts(&now),
                facts(&then),
                json!(before),
                json!(groups)
            ),
        }
    }
    println!(
        "{right} the same and so they are, {told} otherwise and so they are, {cautious} told though equal; {secrets} with secrets"
    );
    assert!(right > ROUNDS / 10 && told > ROUNDS / 10, "{right} {told} {cautious}");
}

const ROUNDS: usize = 300;
