//! The shared vectors through the Rust interface: blocking and asynchronous, each vector once with each.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crosshook::Field;
use serde_json::{Value, json};
use support::compare::differences;
use support::{block_on, workspace};

#[test]
fn blocking() {
    run_all(|engine, event| engine.dispatch_blocking(event));
}

#[test]
fn asynchronous() {
    run_all(|engine, event| block_on(engine.dispatch(event)));
}

/// What was recorded is decided again as it was: by the hooks of the recording, and by those of the engine.
#[test]
fn replayed() {
    let (vectors, _) = load();
    let seen: Mutex<Vec<Option<String>>> = Mutex::default();
    std::thread::scope(|scope| {
        for part in vectors.chunks(vectors.len().div_ceil(4)) {
            scope.spawn(|| part.iter().for_each(|vector| seen.lock().unwrap().extend(replay(vector))));
        }
    });
    let seen = seen.into_inner().unwrap();
    let faults: Vec<String> = seen.iter().flatten().cloned().collect();
    assert!(seen.len() > 600, "only {} were replayed", seen.len());
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), seen.len(), faults.join("\n"));
}

/// Each replay of what a vector recorded, with what was wrong.
fn replay(vector: &Value) -> Vec<Option<String>> {
    let tmp = support::TempDir::new();
    let vector = placed(vector, &tmp);
    let file = tmp.path().join(".recording");
    // Nothing is redacted: the vectors hold no secrets, and every byte counts.
    let engine = engine_with(&vector, &tmp, json!({"path": file, "usual_rules": false}));
    for event in events(&vector) {
        engine.dispatch_blocking(event.to_string()).unwrap();
    }
    let text = fs::read_to_string(&file).unwrap();
    let replays = text.lines().flat_map(|line| {
        [("itself", crosshook::replay(line)), ("the engine", engine.replay(line))].map(|(how, again)| {
            let messages: Vec<_> = again.unwrap().differences.into_iter().map(|one| one.message).collect();
            (!messages.is_empty()).then(|| format!("{}, by {how}: {messages:?}", vector["id"]))
        })
    });
    replays.collect()
}

type Dispatch = fn(&crosshook::Engine, String) -> Result<crosshook::Outcome, crosshook::Error>;

fn run_all(dispatch: Dispatch) {
    let (vectors, left_out) = load();
    for (id, why) in &left_out {
        println!("left out: {id}: {why}");
    }
    assert!(vectors.len() > 300, "only {} vectors were found", vectors.len());
    let queue = Mutex::new(vectors.iter());
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some(vector) = queue.lock().unwrap().next() else { break };
                    for fault in run(vector, dispatch) {
                        faults.lock().unwrap().push(format!("{}: {fault}", vector["id"]));
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    println!(
        "{} passed, {} failed, {} left out",
        vectors.len() - faults.len().min(vectors.len()),
        faults.len(),
        left_out.len()
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The vectors to run, and the ids that are left out with the reason.
fn load() -> (Vec<Value>, Vec<(String, String)>) {
    let dir = workspace().join("tests/vectors");
    let disputed = fs::read_to_string(dir.join("DISPUTED.md")).unwrap();
    let mut run = Vec::new();
    let mut left_out = Vec::new();
    for dialect in crosshook::dialect_names() {
        let text = fs::read_to_string(dir.join(format!("{dialect}.jsonl"))).unwrap();
        for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
            let vector: Value = serde_json::from_str(line).unwrap();
            let id = vector["id"].as_str().unwrap().to_owned();
            match why_not(&vector, &disputed) {
                Some(why) => left_out.push((id, why)),
                None => run.push(vector),
            }
        }
    }
    (run, left_out)
}

/// What is not built yet stands here and nowhere else.
fn why_not(vector: &Value, disputed: &str) -> Option<String> {
    if disputed.contains(&format!("\n| `{}` ", vector["id"].as_str().unwrap())) {
        return Some("disputed, see DISPUTED.md".to_owned());
    }
    None
}

fn run(vector: &Value, dispatch: Dispatch) -> Vec<String> {
    let tmp = support::TempDir::new();
    let vector = placed(vector, &tmp);
    let engine = engine(&vector, &tmp);
    let started = Instant::now();
    let events = events(&vector);
    let outcomes: Vec<Value> = events
        .iter()
        .map(|event| serde_json::from_str(&dispatch(&engine, event.to_string()).unwrap().to_json()).unwrap())
        .collect();
    let took = started.elapsed();
    judge(&vector, &outcomes, took)
}

/// The vector with its folder, which gets a home and a project.
fn placed(vector: &Value, tmp: &support::TempDir) -> Value {
    for folder in [".home", ".project"] {
        fs::create_dir(tmp.path().join(folder)).unwrap();
    }
    let text = vector.to_string().replace("{{TMP}}", tmp.path().to_str().unwrap());
    serde_json::from_str(&text).unwrap()
}

fn engine(vector: &Value, tmp: &support::TempDir) -> crosshook::Engine {
    engine_with(vector, tmp, Value::Null)
}

fn engine_with(vector: &Value, tmp: &support::TempDir, record: Value) -> crosshook::Engine {
    let sources = vector["sources"].as_array().unwrap();
    let (plugins, settings): (Vec<&Value>, Vec<&Value>) =
        sources.iter().partition(|source| source["scope"] == "plugin");
    let dialect = vector["dialect"].as_str().unwrap();
    let options = json!({
        "dialect": dialect,
        "home": tmp.path().join(".home"),
        "project_dir": tmp.path().join(".project"),
        "settings": settings,
        "discover": false,
        "record": record,
        "plugins": plugins.iter().map(|source| plant(dialect, source)).collect::<Vec<_>>(),
        "trusted": vector.get("trusted").and_then(Value::as_bool).unwrap_or(true),
    });
    let options = crosshook::Options::from_json(&options.to_string()).unwrap();
    match vector.get("llm") {
        Some(replies) => {
            let replies = serde_json::from_value(replies.clone()).unwrap();
            crosshook::Engine::with_host(options, Arc::new(crosshook::CannedReplies::new(replies))).unwrap()
        }
        None => crosshook::Engine::new(options).unwrap(),
    }
}

/// Writes a plugin to its folder.
fn plant<'v>(dialect: &str, source: &'v Value) -> &'v str {
    let folder = match dialect {
        "zcode" => ".zcode-plugin",
        "codebuddy" => ".codebuddy-plugin",
        _ => ".claude-plugin",
    };
    let root = source["root"].as_str().unwrap();
    let put = |path: &str, text: String| {
        let path = Path::new(root).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(&format!("{folder}/plugin.json"), json!({"name": source["name"]}).to_string());
    put("hooks/hooks.json", source["settings"].to_string());
    for (path, text) in source.get("files").and_then(Value::as_object).into_iter().flatten() {
        put(path, text.as_str().unwrap().to_owned());
    }
    root
}

fn events(vector: &Value) -> Vec<Value> {
    let mut event = vector["event"].clone();
    for fill in vector.get("fill").and_then(Value::as_array).into_iter().flatten() {
        let text = fill["char"].as_str().unwrap().repeat(fill["count"].as_u64().unwrap() as usize);
        *event.pointer_mut(fill["pointer"].as_str().unwrap()).unwrap() = text.into();
    }
    let count = vector.get("repeat").and_then(Value::as_u64).unwrap_or(1) as usize;
    let mut events = vec![event; count];
    for later in events.iter_mut().skip(1) {
        later["stop_hook_active"] = true.into();
    }
    events
}

fn judge(vector: &Value, outcomes: &[Value], took: Duration) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, outcome) in outcomes.iter().enumerate() {
        let last = (index + 1 == outcomes.len()).then(|| vector.get("expect_last")).flatten();
        faults.extend(differences(last.unwrap_or(&vector["expect"]), outcome));
    }
    let has_diagnostics = outcomes.iter().any(|outcome| outcome["diagnostics"] != json!([]));
    if vector.get("diagnostic") == Some(&json!(true)) && !has_diagnostics {
        faults.push("no diagnostics".to_owned());
    }
    for bad in vector.get("not_in_reason").and_then(Value::as_array).into_iter().flatten() {
        if outcomes
            .iter()
            .any(|outcome| outcome["reason"].as_str().unwrap_or("").contains(bad.as_str().unwrap()))
        {
            faults.push(format!("the reason holds {bad}"));
        }
    }
    if let Some(limit) = vector.get("within_ms").and_then(Value::as_u64)
        && took > Duration::from_millis(limit)
    {
        faults.push(format!("took {took:?}, allowed {limit} ms"));
    }
    if let Some(after) = vector.get("after") {
        faults.extend(judge_files(after));
    }
    faults
}

fn judge_files(after: &Value) -> Vec<String> {
    std::thread::sleep(Duration::from_millis(after["wait_ms"].as_u64().unwrap()));
    let mut faults = Vec::new();
    for file in after.get("absent").and_then(Value::as_array).into_iter().flatten() {
        if Path::new(file.as_str().unwrap()).exists() {
            faults.push(format!("{file} exists"));
        }
    }
    for (file, text) in after.get("equals").and_then(Value::as_object).into_iter().flatten() {
        let got = fs::read_to_string(PathBuf::from(file)).ok();
        if got.as_deref() != text.as_str() {
            faults.push(format!("{file} holds {got:?}, not {text}"));
        }
    }
    faults
}

/// What a host that keeps the event of `vector` as an object says of its fields.
fn field(event: &Value, key: &str) -> Field {
    match event.get(key) {
        None => Field::Missing,
        Some(Value::String(text)) => Field::Text(text.clone()),
        Some(Value::Bool(value)) => Field::Bool(*value),
        Some(Value::Null) => Field::Null,
        Some(_) => Field::Unclear,
    }
}

/// The vector's event, and others that are near it, most of which fire no hook.
fn variants(event: &Value) -> Vec<Value> {
    let mut all = vec![event.clone()];
    let names = ["PreToolUse", "UserPromptSubmit", "Stop", "Stop", "SubagentStop", "NoSuchEvent"];
    let values = [json!("no_such_thing"), json!(""), json!(null), json!(true), json!(7)];
    all.extend(names.map(|name| with(event, "hook_event_name", Some(name.into()))));
    let keys: Vec<&String> = event.as_object().unwrap().keys().collect();
    for key in keys.into_iter().filter(|key| *key != "tool_input") {
        all.extend(values.iter().map(|value| with(event, key, Some(value.clone()))));
        all.push(with(event, key, None));
    }
    for active in [false, true] {
        all.push(with(event, "stop_hook_active", Some(active.into())));
    }
    let camel_cased: Vec<Value> = all.iter().map(camel_cased).collect();
    all.extend(camel_cased);
    all
}

fn with(event: &Value, key: &str, value: Option<Value>) -> Value {
    let mut event = event.clone();
    match value {
        Some(value) => event[key] = value,
        None => drop(event.as_object_mut().unwrap().remove(key)),
    }
    event
}

fn camel_cased(event: &Value) -> Value {
    let renamed = event.as_object().unwrap().iter().map(|(key, value)| {
        let mut words = key.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        let rest = words.map(|word| word.split_at(1)).map(|(head, tail)| head.to_uppercase() + tail);
        (first + &rest.collect::<String>(), value.clone())
    });
    Value::Object(renamed.collect())
}

/// The fields that decide alone, as text.
fn deciding(engine: &crosshook::Engine, event: &Value) -> Option<String> {
    let either = |keys: &[String]| keys.iter().find_map(|key| event.get(key)).cloned();
    let name = either(&crosshook::EVENT_NAME_KEYS.map(str::to_owned))?;
    let fields = engine.selection_fields(name.as_str()?)?;
    Some(format!("{name} {:?}", fields.iter().map(|keys| either(keys)).collect::<Vec<_>>()))
}

#[test]
fn fields_alone_tell_the_same_as_the_whole_event() {
    let (mut alike, mut selected) = (0, 0);
    for vector in load().0 {
        let tmp = support::TempDir::new();
        let vector = placed(&vector, &tmp);
        let (by_fields, by_text) = (engine(&vector, &tmp), engine(&vector, &tmp));
        let mut idle = HashSet::new();
        for event in variants(&events(&vector)[0]) {
            let text = event.to_string();
            match by_fields.dispatch_by_fields(|key| field(&event, key)) {
                Some(outcome) => {
                    let whole = by_text.dispatch_blocking(text).unwrap();
                    assert_eq!(outcome.to_json(), whole.to_json(), "{}: {event}", vector["id"]);
                    alike += 1;
                    if outcome.is_blank() {
                        idle.extend(deciding(&by_fields, &event));
                    }
                }
                None => {
                    let faulty_fields = event.as_object().unwrap().values().any(|value| *value == json!(7));
                    let runs = by_text.explain(text).map(|all| all.iter().any(|one| one.runs));
                    let deciding = deciding(&by_fields, &event);
                    // A session may have a say, or a tool's whole input.
                    let undecided = faulty_fields || deciding.is_none();
                    assert!(runs.unwrap_or(true) || undecided, "{}: {event}", vector["id"]);
                    let known = deciding.is_some_and(|fields| idle.contains(&fields));
                    assert!(!known || faulty_fields, "{}: {event}", vector["id"]);
                    selected += 1;
                }
            }
        }
    }
    assert!(alike > 5_000 && selected > 5_000, "{alike} {selected}");
}

#[test]
fn the_disputed_vector_holds_in_everything_but_its_status() {
    let text = fs::read_to_string(workspace().join("tests/vectors/qwen.jsonl")).unwrap();
    let line = text.split('\n').find(|line| line.contains("\"bo-q-grandchild-holds-stdout\"")).unwrap();
    let mut vector: Value = serde_json::from_str(line).unwrap();
    vector["expect"]["hooks"][0]["status"] = "blocked".into();
    assert_eq!(run(&vector, |engine, event| engine.dispatch_blocking(event)), Vec::<String>::new());
}
