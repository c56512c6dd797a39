//! Rebuilds the executable when the reports embedded in it change, and links it at fixed addresses: half of the time of a start is the
//! relocation of a large program, and a suite starts more than a thousand agents.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=reports/published");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
