//! Values of a hook entry, each of one type; another type is named and left out.

use super::Reader;
use crate::diagnostic::Code;
use crate::dialect::TypeRule;
use crate::settings::tree::{Node, Value};

impl Reader<'_> {
    /// A list of strings; what is none is left out with a warning.
    pub(super) fn strings(&mut self, key: &'static str) -> Vec<String> {
        let Some(node) = self.node.get(key) else { return Vec::new() };
        let items = node.as_array().unwrap_or_default();
        let texts: Vec<String> = items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect();
        if node.as_array().is_none() || texts.len() < items.len() {
            let message = format!("`{key}` is not a list of strings; what is no string in it is ignored");
            self.warn(key, Code::WrongType, message);
        }
        texts
    }

    pub(super) fn arguments(&mut self) -> Option<Vec<String>> {
        let Some(node) = self.node.get("args") else { return Some(Vec::new()) };
        let items =
            node.as_array().map(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        match items {
            Some(Some(items)) => Some(items),
            _ => {
                let message = "the hook's `args` is not a list of strings; the hook is skipped".to_owned();
                self.refuse(Code::InvalidHook, message);
                None
            }
        }
    }

    /// A shell's name; `true` is the default one (ZCode).
    pub(super) fn shell(&mut self) -> Option<String> {
        match self.node.get("shell").map(|node| &node.value)? {
            Value::String(name) if name == "powershell" => {
                let message =
                    "`shell: powershell` needs Windows; the default shell runs the command".to_owned();
                self.warn("shell", Code::IgnoredKey, message);
                None
            }
            Value::String(name) if !name.is_empty() => Some(name.clone()),
            Value::Bool(true) => None,
            _ => {
                self.warn(
                    "shell",
                    Code::WrongType,
                    "`shell` is not a shell's name; the default shell is used".into(),
                );
                None
            }
        }
    }

    pub(super) fn string(&mut self, key: &'static str) -> Option<String> {
        match self.node.get(key) {
            None | Some(Node { value: Value::Null, .. }) => None,
            Some(Node { value: Value::String(text), .. }) => Some(text.clone()),
            Some(node) => {
                let message = format!("`{key}` is {}, not a string; it is ignored", node.words());
                self.warn(key, Code::WrongType, message);
                None
            }
        }
    }

    pub(super) fn bool(&mut self, key: &'static str) -> Option<bool> {
        match self.node.get(key) {
            None => None,
            Some(Node { value: Value::Null, .. }) if !self.dialect.settings.strict => None,
            Some(Node { value: Value::Bool(value), .. }) => Some(*value),
            Some(node) => {
                let message = format!("`{key}` is {}, not true or false; it is ignored", node.words());
                self.warn(key, Code::WrongType, message);
                None
            }
        }
    }

    pub(super) fn string_map(&mut self, key: &'static str, rule: &TypeRule) -> Vec<(String, String)> {
        let Some(node) = self.node.get(key).filter(|_| self.knows(rule, key)) else { return Vec::new() };
        let Some(entries) = node.as_object() else {
            let message = format!("`{key}` is {}, not an object of strings; it is ignored", node.words());
            self.warn(key, Code::WrongType, message);
            return Vec::new();
        };
        let mut map = Vec::new();
        for (name, value) in entries {
            let text = match &value.value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(value) => value.to_string(),
                _ => {
                    let message = format!("`{key}.{name}` is {}, not a string; it is ignored", value.words());
                    self.warn(key, Code::WrongType, message);
                    continue;
                }
            };
            map.push((name.clone(), text));
        }
        map
    }
}
