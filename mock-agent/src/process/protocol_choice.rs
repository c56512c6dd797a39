//! Protocol selection: which adapter speaks with the host, from the flags, `--protocol` and its environment variable.

use crate::config::options::PROTOCOL_FLAG;
use crate::protocols::{adapter::Adapter, table::ADAPTERS};

/// The adapter that the arguments and the environment variable select; none if they select no protocol. For an unknown version it is
/// the oldest one of the protocol, to report the error with.
pub(crate) fn select_adapter(
    args: &[String],
    variable: Option<&str>,
) -> Option<(&'static Adapter, Result<(), String>)> {
    let versions: Vec<_> = ADAPTERS
        .iter()
        .filter(|adapter| (adapter.chosen)(args))
        .collect();
    let oldest = *versions.first()?;
    let requested = flag_value(args)
        .or_else(|| variable.and_then(|text| version_in_variable(text, oldest.name)));
    let Some(requested) = requested else {
        return Some((oldest, Ok(())));
    };
    let found = versions.iter().find(|adapter| adapter.version == requested);
    Some(found.map_or_else(
        || (oldest, Err(unknown_version(requested, &versions))),
        |adapter| (*adapter, Ok(())),
    ))
}

/// The value of `--protocol`. The flags are not parsed yet: which of them are known depends on the adapter.
fn flag_value(args: &[String]) -> Option<&str> {
    let at = args
        .iter()
        .position(|word| word.starts_with(PROTOCOL_FLAG.name))?;
    match &args[at][PROTOCOL_FLAG.name.len()..] {
        "" => args.get(at + 1).map(String::as_str),
        joined => joined.strip_prefix('='),
    }
}

/// The version in the environment variable, if it applies to the protocol of this name.
fn version_in_variable<'a>(text: &'a str, protocol: &str) -> Option<&'a str> {
    match text.split_once('@') {
        Some((name, version)) => (name == protocol).then_some(version),
        None => (!text.is_empty()).then_some(text),
    }
}

fn unknown_version(requested: &str, versions: &[&Adapter]) -> String {
    let known: Vec<_> = versions.iter().map(|adapter| adapter.version).collect();
    let name = versions.first().map_or("", |adapter| adapter.name);
    format!(
        "{}: version {requested:?} of {name} is not supported, only {}",
        PROTOCOL_FLAG.name,
        known.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(args: &[&str], variable: Option<&str>) -> Option<(&'static str, bool)> {
        let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
        select_adapter(&args, variable).map(|(adapter, fits)| (adapter.version, fits.is_ok()))
    }

    #[test]
    fn the_oldest_version_is_the_default() {
        assert_eq!(selected(&["--json-stream"], None), Some(("0.1", true)));
        assert_eq!(selected(&["--json-stream"], Some("")), Some(("0.1", true)));
        assert_eq!(selected(&[], Some("0.1")), None);
    }

    #[test]
    fn the_flag_takes_precedence_over_the_variable() {
        let one = selected(&["--json-stream", "--protocol", "9"], Some("0.1"));
        assert_eq!(one, Some(("0.1", false)));
        let joined = selected(&["--json-stream", "--protocol=0.1"], Some("9"));
        assert_eq!(joined, Some(("0.1", true)));
    }

    #[test]
    fn a_variable_for_another_protocol_is_ignored() {
        assert_eq!(selected(&["rpc"], Some("aionrs@0.2")), Some(("1", true)));
        assert_eq!(selected(&["rpc"], Some("synaps@2")), Some(("1", false)));
    }
}
