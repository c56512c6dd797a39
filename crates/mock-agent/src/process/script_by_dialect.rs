//! Built-in scripts for other programs, which choose the dialect by its id.

use crate::built_in_scripts::{ScriptError, find, names};
use crate::protocols::dialects;
use spanned_yaml::{Node, unknown};

/// The built-in script of this name as YAML: for a dialect `NAME@VERSION`, or one that is the same in every dialect.
///
/// # Errors
/// There is none, or no dialect is given and it differs between them.
pub fn built_in_script(name: &str, dialect: Option<&str>) -> Result<Node, ScriptError> {
    let id = |(name, version): (&str, &str)| format!("{name}@{version}");
    if let Some(text) = dialect {
        let Some(dialect) = dialects().find(|known| id(*known) == text) else {
            let ids: Vec<_> = dialects().map(id).collect();
            let why = unknown("dialect", text, ids.iter().map(String::as_str));
            return Err(ScriptError::UnknownDialect(why));
        };
        return Ok(find(name, dialect)?.node()?);
    }
    let found = dialects().filter_map(|dialect| Some((id(dialect), find(name, dialect).ok()?)));
    let (ids, scripts): (Vec<_>, Vec<_>) = found.unzip();
    match scripts.first() {
        None => Err(ScriptError::Unknown {
            name: name.to_owned(),
            known: names(None),
        }),
        Some(first) if scripts.iter().all(|script| script == first) => Ok(first.node()?),
        Some(_) => Err(ScriptError::Ambiguous {
            name: name.to_owned(),
            dialects: ids,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::built_in_script;

    #[test]
    fn a_script_that_differs_between_dialects_needs_one() {
        assert!(built_in_script("markdown", None).is_ok());
        assert!(built_in_script("approval", Some("aionrs@0.2")).is_ok());
        let differs = built_in_script("tools", None).unwrap_err().to_string();
        assert!(
            differs.contains("--dialect, one of acp@1, aionrs@0.1, "),
            "{differs}"
        );
        let unknown = built_in_script("markdown", Some("pi@0.88"))
            .unwrap_err()
            .to_string();
        assert!(unknown.contains("did you mean `pi@0.87`?"), "{unknown}");
    }
}
