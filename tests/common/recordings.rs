//! Reads the recorded sessions of real agents in `tests/recordings/`.

use conform_judge::frame::Frame;
use conform_judge::transcript::{Header, TranscriptReader};
use std::path::{Path, PathBuf};

/// One recorded session.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) header: Header,
    pub(crate) frames: Vec<Frame>,
}

/// The recordings of one agent, sorted by name. Panics if the folder is missing or empty.
pub(crate) fn of(folder: &str) -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let root = root.join(folder);
    let entries = std::fs::read_dir(&root).unwrap_or_else(|e| panic!("{}: {e}", root.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", root.display());
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Recording {
    let mut reader =
        TranscriptReader::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).unwrap();
    let header = reader.header().cloned().unwrap();
    let frames = reader.by_ref().map(Result::unwrap).collect();
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    Recording {
        name,
        header,
        frames,
    }
}
