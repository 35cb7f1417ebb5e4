//! `core/schema/outcome.schema.json`: the outcome as JSON Schema, made from its types and their comments. The types of
//! Python and TypeScript are made from it (tests/schema/generate.py).

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use super::Outcome;

/// Any JSON value.
pub(super) type Any = serde_json::Value;

/// An object whose keys are the agent's own.
pub(super) type AnyObject = serde_json::Map<String, Any>;

fn schema() -> String {
    let mut schema =
        SchemaSettings::draft07().for_serialize().into_generator().into_root_schema_for::<Outcome>();
    schema.insert("title".to_owned(), Outcome::schema_name().into());
    let mut text = serde_json::to_string_pretty(&schema).unwrap();
    text.push('\n');
    text
}

/// With `CROSSHOOK_BLESS=1` in the environment the file is written instead.
#[test]
fn the_committed_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/outcome.schema.json");
    if std::env::var_os("CROSSHOOK_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, schema()).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == schema(), "{} is stale; run the tests with CROSSHOOK_BLESS=1", path.display());
}
