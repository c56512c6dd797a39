//! Rebuilds the executable when the reports embedded in it change.

fn main() {
    println!("cargo::rerun-if-changed=reports/published");
}
