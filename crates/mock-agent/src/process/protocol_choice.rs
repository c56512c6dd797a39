//! Protocol selection: which adapter speaks with the host, from the flags, `--protocol`, its environment variable, and the name that
//! the program is called by.

use super::own_arguments::OwnArguments;
use crate::protocols::{ADAPTERS, adapter::Adapter};

/// The environment variable for `--protocol`; `NAME@VERSION` applies to one protocol only.
pub const PROTOCOL_VARIABLE: &str = "MOCK_AGENT_PROTOCOL";

const FLAG: &str = "--protocol";

/// An adapter, and whether the requested version is known. For an unknown version it is the default one, which reports the error.
pub(crate) type Selected = (&'static Adapter, Result<(), String>);

/// The adapter for these arguments, the value of the environment variable, and the name of the program; none if they select no
/// protocol.
///
/// # Errors
/// An unknown protocol is requested.
pub(crate) fn select_adapter(
    own: &OwnArguments,
    variable: Option<&str>,
    program: Option<&str>,
) -> Result<Option<Selected>, String> {
    let flag = own.protocol.as_deref();
    let variable = variable.filter(|text| !text.is_empty());
    let Some(name) = protocol_name(own, flag, variable, program)? else {
        return Ok(None);
    };
    let versions: Vec<_> = ADAPTERS.iter().filter(|one| one.name == name).collect();
    let mut texts = [flag, variable].into_iter().flatten();
    let requested = texts.find_map(|text| version_for(text, name));
    let default = versions.iter().find(|adapter| adapter.is_default);
    let Some(default) = default.or(versions.first()).copied() else {
        return Ok(None);
    };
    let Some(requested) = requested else {
        return Ok(Some((default, Ok(()))));
    };
    let found = versions.iter().find(|one| one.version == requested);
    Ok(Some(found.map_or_else(
        || (default, Err(unknown_version(requested, &versions))),
        |adapter| (*adapter, Ok(())),
    )))
}

/// The name of the protocol: the arguments take precedence over the variable, and the variable over the name of the program.
fn protocol_name(
    own: &OwnArguments,
    flag: Option<&str>,
    variable: Option<&str>,
    program: Option<&str>,
) -> Result<Option<&'static str>, String> {
    if let Some(adapter) = ADAPTERS.iter().find(|adapter| own.choose(adapter)) {
        return Ok(Some(adapter.name));
    }
    for (source, text) in [(FLAG, flag), (PROTOCOL_VARIABLE, variable)] {
        let Some(text) = text else { continue };
        let (name, _) = text.split_once('@').unwrap_or((text, ""));
        if let Some(known) = known_name(name) {
            return Ok(Some(known));
        }
        if text.contains('@') || !text.starts_with(|c: char| c.is_ascii_digit()) {
            let mut names: Vec<_> = ADAPTERS.iter().map(|adapter| adapter.name).collect();
            names.dedup();
            let why = spanned_yaml::unknown("protocol", name, names);
            return Err(format!("{source}: {why}"));
        }
    }
    Ok(program.and_then(known_name))
}

fn known_name(name: &str) -> Option<&'static str> {
    let found = ADAPTERS.iter().find(|adapter| adapter.name == name);
    found.map(|adapter| adapter.name)
}

/// The version of a protocol that a text requests: `VERSION`, or `NAME@VERSION` with its name.
fn version_for<'a>(text: &'a str, protocol: &str) -> Option<&'a str> {
    match text.split_once('@') {
        Some((name, version)) => (name == protocol).then_some(version),
        None => (text != protocol).then_some(text),
    }
}

fn unknown_version(requested: &str, versions: &[&Adapter]) -> String {
    let known: Vec<_> = versions.iter().map(|adapter| adapter.version).collect();
    let name = versions.first().map_or("", |adapter| adapter.name);
    format!(
        "{FLAG}: version {requested:?} of {name} is not supported, only {}",
        known.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::own_arguments::tests::arguments;

    fn called(
        program: Option<&str>,
        args: &[&str],
        variable: Option<&str>,
    ) -> Result<Option<(&'static str, &'static str, bool)>, String> {
        let selected = select_adapter(&arguments(args), variable, program)?;
        Ok(selected.map(|(adapter, fits)| (adapter.name, adapter.version, fits.is_ok())))
    }

    #[test]
    fn the_arguments_select_or_the_variable_or_the_name_of_the_program() {
        for (program, args, variable, expected) in [
            // A variable for another protocol is ignored.
            (
                None,
                &["rpc"][..],
                Some("aionrs@0.2"),
                ("synaps", "1", true),
            ),
            (None, &["rpc"], Some("synaps@2"), ("synaps", "1", false)),
            (Some("pi"), &[], None, ("pi", "1.6", true)),
            (Some("pi"), &[], Some("0.73"), ("pi", "0.73", true)),
            (
                Some("pi"),
                &["--protocol", "0.14"],
                None,
                ("pi", "0.14", true),
            ),
            (Some("mock-agent"), &[], Some("pi"), ("pi", "1.6", true)),
            (None, &[], Some("pi@0.73"), ("pi", "0.73", true)),
            (None, &["--protocol=pi@0.14"], None, ("pi", "0.14", true)),
            (None, &[], Some("pi@7"), ("pi", "1.6", false)),
        ] {
            assert_eq!(called(program, args, variable), Ok(Some(expected)));
        }
        assert_eq!(called(Some("mock-agent"), &[], None), Ok(None));
        let unknown = called(None, &[], Some("pie@1")).unwrap_err();
        assert!(
            unknown.starts_with("MOCK_AGENT_PROTOCOL: unknown protocol `pie`; did you mean `pi`?"),
            "{unknown}"
        );
    }
}
