//! What crossing the boundary between Node and Rust costs by itself.

use napi::bindgen_prelude::*;
use napi_derive::napi;

/// Calls a JavaScript function.
#[napi]
pub fn call<'env>(
    function: Function<'env, Unknown<'env>, Unknown<'env>>,
    argument: Unknown<'env>,
) -> Result<Unknown<'env>> {
    function.call(argument)
}
