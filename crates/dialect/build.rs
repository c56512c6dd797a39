//! Rebuilds the package when the data embedded in it changes.

fn main() {
    println!("cargo::rerun-if-changed=schemas");
}
