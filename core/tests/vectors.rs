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

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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
    let text = vector.to_string().replace("{{TMP}}", tmp.path().to_str().unwrap());
    let vector: Value = serde_json::from_str(&text).unwrap();
    let (home, project) = (tmp.path().join(".home"), tmp.path().join(".project"));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&project).unwrap();
    let sources = vector["sources"].as_array().unwrap();
    let (plugins, settings): (Vec<&Value>, Vec<&Value>) =
        sources.iter().partition(|source| source["scope"] == "plugin");
    let dialect = vector["dialect"].as_str().unwrap();
    let options = json!({
        "dialect": dialect,
        "home": home,
        "project_dir": project,
        "settings": settings,
        "discover": false,
        "plugins": plugins.iter().map(|source| plant(dialect, source)).collect::<Vec<_>>(),
        "trusted": vector.get("trusted").and_then(Value::as_bool).unwrap_or(true),
    });
    let options = crosshook::Options::from_json(&options.to_string()).unwrap();
    let engine = match vector.get("llm") {
        Some(replies) => {
            let replies = serde_json::from_value(replies.clone()).unwrap();
            crosshook::Engine::with_host(options, Arc::new(crosshook::CannedReplies::new(replies))).unwrap()
        }
        None => crosshook::Engine::new(options).unwrap(),
    };
    let started = Instant::now();
    let events = events(&vector);
    let outcomes: Vec<Value> = events
        .iter()
        .map(|event| serde_json::from_str(&dispatch(&engine, event.to_string()).unwrap().to_json()).unwrap())
        .collect();
    let took = started.elapsed();
    judge(&vector, &outcomes, took)
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

#[test]
fn the_disputed_vector_holds_in_everything_but_its_status() {
    let text = fs::read_to_string(workspace().join("tests/vectors/qwen.jsonl")).unwrap();
    let line = text.split('\n').find(|line| line.contains("\"bo-q-grandchild-holds-stdout\"")).unwrap();
    let mut vector: Value = serde_json::from_str(line).unwrap();
    vector["expect"]["hooks"][0]["status"] = "blocked".into();
    assert_eq!(run(&vector, |engine, event| engine.dispatch_blocking(event)), Vec::<String>::new());
}
