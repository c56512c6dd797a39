//! The arguments of an agent: those of the user, completed by those of the dialect's launch recipe.

use conform_report::shell_words::quoted;
use std::ffi::{OsStr, OsString};

/// The placeholder for all arguments of the recipe.
const RECIPE: &str = "{args}";
/// The placeholders that the sandbox of a scenario has values for.
const SANDBOX: [&str; 3] = ["{llm_url}", "{workspace}", "{home}"];

/// The use of the arguments of the recipe when the user gives arguments too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecipeArgs {
    /// They are added after those of the user, except those that the user gives.
    Append,
    /// They are used where the user writes `{args}`, and nowhere else.
    Placed,
}

impl RecipeArgs {
    /// How the arguments of the user use those of the recipe: if one of them has a placeholder, they are used as given.
    #[must_use]
    pub fn wanted_by(given: &[OsString]) -> Self {
        let holds = |arg: &OsString| {
            let text = arg.to_string_lossy();
            SANDBOX
                .iter()
                .chain([&RECIPE])
                .any(|name| text.contains(name))
        };
        if given.iter().any(holds) {
            RecipeArgs::Placed
        } else {
            RecipeArgs::Append
        }
    }
}

/// The first word in braces among the arguments that looks like a placeholder but is not one, with its braces.
#[must_use]
pub fn unknown_placeholder(given: &[OsString]) -> Option<String> {
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let is_known = |braced: &str| braced == RECIPE || SANDBOX.contains(&braced);
    let in_arg = |arg: &OsString| {
        let text = arg.to_string_lossy();
        let mut braced = text.match_indices('{').filter_map(|(at, _)| {
            let (name, _) = text[at + 1..].split_once('}')?;
            // A shell writes its variables so.
            let is_variable = text[..at].ends_with('$');
            (is_name(name) && !is_variable).then(|| format!("{{{name}}}"))
        });
        braced.find(|braced| !is_known(braced))
    };
    given.iter().find_map(in_arg)
}

/// The arguments of the user together with those of the recipe.
pub(super) fn complete(
    given: &[OsString],
    recipe: &[OsString],
    recipe_args: RecipeArgs,
) -> Vec<OsString> {
    match recipe_args {
        RecipeArgs::Append => {
            let mut all = given.to_vec();
            let missing = options(recipe).filter(|option| !is_given(option, given));
            all.extend(missing.flatten().cloned());
            all
        }
        RecipeArgs::Placed => given.iter().flat_map(|arg| placed(arg, recipe)).collect(),
    }
}

/// The arguments as groups: an option with its values, or a word before the first option.
fn options(args: &[OsString]) -> impl Iterator<Item = &[OsString]> {
    args.chunk_by(|before, next| is_option(before) && !is_option(next))
}

fn is_option(arg: &OsStr) -> bool {
    arg.as_encoded_bytes().starts_with(b"-")
}

/// Whether the user gives this option, as `--name VALUE` or as `--name=VALUE`.
fn is_given(option: &[OsString], given: &[OsString]) -> bool {
    let Some(name) = option.first() else {
        return true;
    };
    let joined = format!("{}=", name.to_string_lossy());
    given
        .iter()
        .any(|arg| arg == name || is_option(name) && arg.to_string_lossy().starts_with(&joined))
}

/// An argument of the user with `{args}` replaced: by several arguments where it is a whole argument, else by one quoted text for a shell.
fn placed(arg: &OsStr, recipe: &[OsString]) -> Vec<OsString> {
    match arg.to_str() {
        Some(RECIPE) => recipe.to_vec(),
        Some(text) if text.contains(RECIPE) => {
            let words = recipe.iter().map(|word| quoted(&word.to_string_lossy()));
            let words: Vec<_> = words.collect();
            vec![text.replace(RECIPE, &words.join(" ")).into()]
        }
        _ => vec![arg.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(given: &[&str]) -> Vec<OsString> {
        let given: Vec<OsString> = given.iter().map(Into::into).collect();
        let recipe = ["rpc", "--json", "--model", "a b", "--base-url", "{llm_url}"];
        complete(
            &given,
            &recipe.map(OsString::from),
            RecipeArgs::wanted_by(&given),
        )
    }

    #[test]
    fn arguments_of_the_recipe_that_the_user_does_not_give_are_added_behind() {
        let added = [
            "x.py",
            "rpc",
            "--json",
            "--model",
            "a b",
            "--base-url",
            "{llm_url}",
        ];
        assert_eq!(completed(&["x.py"]), added);
        assert_eq!(
            completed(&["x.py", "rpc", "--model=b", "--base-url", "u"]),
            ["x.py", "rpc", "--model=b", "--base-url", "u", "--json"]
        );
        assert_eq!(completed(&["--data", "{\"a\":1}"]).len(), 8);
    }

    #[test]
    fn a_misspelt_placeholder_is_found() {
        let of = |arg: &str| unknown_placeholder(&["x".into(), arg.into()]);
        assert_eq!(of("--url={llm_ur}/v1").as_deref(), Some("{llm_ur}"));
        for arg in [
            "{llm_url}",
            "{args} {home}",
            "{}",
            "{\"a\": 1}",
            "{1}",
            "${home}/{home}",
        ] {
            assert_eq!(of(arg), None, "{arg}");
        }
    }
}
