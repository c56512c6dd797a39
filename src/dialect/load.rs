//! Loads a dialect folder: reads its files, lays a delta over its base, compiles, lints.

mod build;
mod delta;
mod headings;
mod parts;
mod session;

use super::{Dialect, DialectSource};
use parts::Parts;
use spanned_yaml::{Error, unknown};
use std::sync::Arc;

/// Loads the dialect `NAME@VERSION`, or the newest version of `NAME`.
///
/// # Errors
/// Every mistake in its files, each with its place; or that there is no such dialect, with those that there are.
pub fn load(source: &DialectSource, id: &str) -> Result<Arc<Dialect>, Vec<Error>> {
    let (name, version) =
        resolve(source, id).map_err(|message| vec![Error::of_file(id, message)])?;
    let mut parts = Parts::read(
        source,
        &name,
        &version,
        &mut vec![(name.clone(), version.clone())],
    )?;
    parts.file.name = name;
    parts.file.version = version;
    build::build(parts).map(Arc::new)
}

fn resolve(source: &DialectSource, id: &str) -> Result<(String, String), String> {
    let all = source.names();
    let (name, version) = id.split_once('@').map_or((id, None), |(n, v)| (n, Some(v)));
    let fits = |(n, v): &&(String, String)| n == name && version.is_none_or(|version| v == version);
    let newest = all.iter().filter(fits).max_by_key(|(_, v)| version_key(v));
    newest.cloned().ok_or_else(|| {
        let known: Vec<_> = all.iter().map(|(n, v)| format!("{n}@{v}")).collect();
        unknown("dialect", id, known.iter().map(String::as_str))
    })
}

fn version_key(version: &str) -> Vec<u64> {
    version
        .split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}
