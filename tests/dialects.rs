//! Every embedded dialect loads and lints clean.

use conform::dialect::{DialectSource, load};

#[test]
fn every_embedded_dialect_loads() {
    let source = DialectSource::default();
    let names = source.names();
    assert!(!names.is_empty());
    for (name, version) in names {
        if let Err(errors) = load(&source, &format!("{name}@{version}")) {
            let messages: Vec<_> = errors.iter().map(ToString::to_string).collect();
            panic!("{name}@{version}:\n{}", messages.join("\n"));
        }
    }
}
