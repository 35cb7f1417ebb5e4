//! Which library was loaded.

use super::guard;
use super::text::crosshook_str;

/// The version of this binary interface. It grows by one with every change that an already compiled host could
/// notice: a changed signature, struct, number or rule. New functions and new status numbers do not change it.
pub const CROSSHOOK_ABI_VERSION: u32 = 1;

/// The version of the library as text, for example "0.1.0". Static: valid for the life of the process.
///
/// Compare with CROSSHOOK_VERSION, the version of the header. They may differ as long as the ABI versions agree.
#[unsafe(no_mangle)]
pub extern "C" fn crosshook_version() -> crosshook_str {
    guard::or(crosshook_str::EMPTY, || crosshook_str::lend(crate::VERSION))
}

/// The ABI version of the library. A host that loads the library at run time compares it with CROSSHOOK_ABI_VERSION,
/// and calls nothing else when they differ.
#[unsafe(no_mangle)]
pub extern "C" fn crosshook_abi_version() -> u32 {
    guard::or(0, || CROSSHOOK_ABI_VERSION)
}
