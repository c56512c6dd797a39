//! Rebuilds the executable when the data embedded in it changes.

fn main() {
    for folder in ["schemas", "scenarios", "reports/published"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
