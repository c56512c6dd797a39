//! Real sessions of living agents: what is found in them is what the page and the field notes support, no more and no less.
//!
//! The recordings lie beside the checkout, in `../shared/transcripts`; where they are not, there is nothing to test.

use conform::check::{Checker, Context};
use conform::dialect::{DialectSource, load};
use conform::transcript::Reader;
use std::fmt::Write as _;
use std::path::Path;

fn findings(folder: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/transcripts")
        .join(folder);
    let mut files: Vec<_> = std::fs::read_dir(root)
        .ok()?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .collect();
    files.sort();
    let mut text = String::new();
    for path in files {
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = Reader::new(file).unwrap();
        let header = reader.header().cloned().unwrap();
        let dialect = load(
            &DialectSource::default(),
            header.dialect.as_deref().unwrap(),
        )
        .unwrap();
        let context = Context {
            argv: Some(header.agent),
            ..Context::default()
        };
        let mut checker = Checker::new(dialect, context);
        for frame in &mut reader {
            checker.push(&frame.unwrap());
        }
        writeln!(text, "{}", path.file_name().unwrap().to_string_lossy()).unwrap();
        for f in checker.finish().findings {
            writeln!(
                text,
                "  {} {:?} {:?} at {}: {}",
                f.rule, f.level, f.blame, f.at, f.message
            )
            .unwrap();
        }
    }
    Some(text)
}

#[test]
fn aionrs_0_1_0() {
    if let Some(found) = findings("aionrs-0.1.0") {
        println!("{found}");
    }
}

#[test]
fn synaps_0_1_9() {
    if let Some(found) = findings("synaps-0.1.9") {
        println!("{found}");
    }
}

#[test]
fn pi_0_14_0() {
    if let Some(found) = findings("pi-0.14.0") {
        println!("{found}");
    }
}

#[test]
fn pi_0_73_1() {
    if let Some(found) = findings("pi-0.73.1") {
        println!("{found}");
    }
}
