//! Link arguments of a Node addon (among them `-z nodelete`: engine threads must never outlive their own code).

fn main() {
    napi_build::setup();
}
