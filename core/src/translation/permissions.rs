//! Permission updates and suggestions: the tools that their rules name, and the modes that they set.

use serde_json::value::RawValue;

use super::map_objects;
use crate::json::{Object, decode_string, quote, write_object};

/// What the other side calls a tool. With `true` for a rule that allows: that names no tool that is only alike.
pub(super) type Tools<'a> = &'a dyn Fn(&str, bool) -> Vec<String>;

/// The list `raw` with the names of the other side. A rule for a tool of which it has several becomes one for each.
pub(super) fn told(raw: &str, tools: Tools<'_>, mode: &dyn Fn(&str) -> String) -> String {
    map_objects(raw, |update| {
        let allows = update.get("behavior").and_then(decode_string).as_deref() == Some("allow");
        Some(with(update, |key, raw| match key {
            "rules" => rules(raw, &|name| tools(name, allows)),
            "mode" => decode_string(raw).map(|name| quote(&mode(&name))),
            _ => None,
        }))
    })
}

fn rules(raw: &str, tools: &dyn Fn(&str) -> Vec<String>) -> Option<String> {
    let rules: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    let told = |rule: &&RawValue| {
        let object = Object::from_raw(rule.get());
        let tool = object.as_ref().and_then(|object| object.get("toolName").and_then(decode_string));
        let Some((object, tool)) = object.zip(tool) else { return vec![rule.get().to_owned()] };
        let named = |name: String| with(&object, |key, _| (key == "toolName").then(|| quote(&name)));
        tools(&tool).into_iter().map(named).collect()
    };
    let rules: Vec<String> = rules.iter().flat_map(told).collect();
    Some(format!("[{}]", rules.join(",")))
}

/// The object with what `change` gives in the place of a value.
fn with(object: &Object, change: impl Fn(&str, &str) -> Option<String>) -> String {
    let entries: Vec<(&str, String)> =
        object.iter().map(|(key, raw)| (key, change(key, raw).unwrap_or_else(|| raw.to_owned()))).collect();
    write_object(entries.iter().map(|(key, raw)| (*key, raw.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_modes_are_renamed_and_nothing_else() {
        let raw = r#"[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"toolName *"},7],"behavior":"allow"},{"type":"setMode","mode":"acceptEdits"},{"type":"addDirectories","directories":["Bash"]}]"#;
        let wanted = r#"[{"type":"addRules","rules":[{"toolName":"<Bash>","ruleContent":"toolName *"},7],"behavior":"allow"},{"type":"setMode","mode":"(acceptEdits)"},{"type":"addDirectories","directories":["Bash"]}]"#;
        let tools = |name: &str, _| vec![format!("<{name}>")];
        assert_eq!(told(raw, &tools, &|name| format!("({name})")), wanted);
        assert_eq!(told("{}", &tools, &str::to_owned), "{}");
    }

    #[test]
    fn a_rule_for_several_tools_is_one_for_each() {
        let tools =
            |name: &str, allows| if allows { vec![name.to_owned()] } else { vec!["a".into(), "b".into()] };
        let rules = |behavior: &str| format!(r#"[{{"behavior":"{behavior}","rules":[{{"toolName":"x"}}]}}]"#);
        assert_eq!(told(&rules("allow"), &tools, &str::to_owned), rules("allow"));
        let denied = r#"[{"behavior":"deny","rules":[{"toolName":"a"},{"toolName":"b"}]}]"#;
        assert_eq!(told(&rules("deny"), &tools, &str::to_owned), denied);
    }
}
