//! Rebuilds the package when the built-in scripts that are embedded in it change.

fn main() {
    println!("cargo::rerun-if-changed=scripts");
}
