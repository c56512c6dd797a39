//! Which dialect, and which version of it, the agent speaks.

use crate::config::options::PROTOCOL_FLAG;
use crate::protocols::{adapter::Adapter, table::ADAPTERS};

/// The adapter that the arguments and the variable ask for, or what is wrong with the version and the adapter to say it with.
/// None if the arguments ask for no dialect.
pub(crate) fn adapter(
    args: &[String],
    variable: Option<&str>,
) -> Option<(&'static Adapter, Result<(), String>)> {
    let spoken: Vec<_> = ADAPTERS
        .iter()
        .filter(|adapter| (adapter.chosen)(args))
        .collect();
    let oldest = *spoken.first()?;
    let asked = flag(args).or_else(|| variable.and_then(|text| meant(text, oldest.name)));
    let Some(version) = asked else {
        return Some((oldest, Ok(())));
    };
    let found = spoken.iter().find(|adapter| adapter.version == version);
    Some(found.map_or_else(
        || (oldest, Err(unknown(version, &spoken))),
        |adapter| (*adapter, Ok(())),
    ))
}

fn flag(args: &[String]) -> Option<&str> {
    let at = args
        .iter()
        .position(|word| word.starts_with(PROTOCOL_FLAG.name))?;
    match &args[at][PROTOCOL_FLAG.name.len()..] {
        "" => args.get(at + 1).map(String::as_str),
        joined => joined.strip_prefix('='),
    }
}

/// The version that the variable's text asks of this dialect.
fn meant<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    match text.split_once('@') {
        Some((of, version)) => (of == name).then_some(version),
        None => (!text.is_empty()).then_some(text),
    }
}

fn unknown(version: &str, spoken: &[&Adapter]) -> String {
    let versions: Vec<_> = spoken.iter().map(|adapter| adapter.version).collect();
    let name = spoken.first().map_or("", |adapter| adapter.name);
    format!(
        "{}: {name} is not spoken in version {version:?}, but in {}",
        PROTOCOL_FLAG.name,
        versions.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(args: &[&str], variable: Option<&str>) -> Option<(&'static str, bool)> {
        let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
        adapter(&args, variable).map(|(adapter, fits)| (adapter.version, fits.is_ok()))
    }

    #[test]
    fn the_oldest_version_is_spoken_where_nothing_is_said() {
        assert_eq!(asked(&["--json-stream"], None), Some(("0.1", true)));
        assert_eq!(asked(&["--json-stream"], Some("")), Some(("0.1", true)));
        assert_eq!(asked(&[], Some("0.1")), None);
    }

    #[test]
    fn the_flag_goes_before_the_variable() {
        let one = asked(&["--json-stream", "--protocol", "9"], Some("0.1"));
        assert_eq!(one, Some(("0.1", false)));
        let joined = asked(&["--json-stream", "--protocol=0.1"], Some("9"));
        assert_eq!(joined, Some(("0.1", true)));
    }

    #[test]
    fn a_variable_for_another_dialect_is_ignored() {
        assert_eq!(asked(&["rpc"], Some("aionrs@0.2")), Some(("1", true)));
        assert_eq!(asked(&["rpc"], Some("synaps@2")), Some(("1", false)));
    }
}
