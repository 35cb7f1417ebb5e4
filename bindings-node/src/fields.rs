//! An event that is an object: what the engine asks of it before it is written as JSON.

use crosshook::Field;
use napi::bindgen_prelude::{FromNapiValue, JsObjectValue, Object, Unknown};
use napi::{Env, Result, ValueType};

/// What `JSON.stringify` would write for the own property `key`. It may be a getter, which runs then.
pub(crate) fn field(env: &Env, event: &Object<'_>, key: &str) -> Field {
    // What a getter throws, it throws again when the event is written as JSON.
    read(env, event, key).unwrap_or(Field::Unclear)
}

fn read(env: &Env, event: &Object<'_>, key: &str) -> Result<Field> {
    let key = env.create_string(key)?;
    if !event.has_own_property_js(key)? {
        return Ok(Field::Missing);
    }
    let value: Unknown<'_> = event.get_property_unchecked(key)?;
    Ok(match value.get_type()? {
        ValueType::Undefined => Field::Missing,
        ValueType::Null => Field::Null,
        ValueType::Boolean => Field::Bool(bool::from_unknown(value)?),
        ValueType::String => {
            let text = String::from_unknown(value)?;
            // It may stand for a lone surrogate, which is an escape in JSON.
            if text.contains('\u{fffd}') { Field::Unclear } else { Field::Text(text) }
        }
        _ => Field::Unclear,
    })
}
