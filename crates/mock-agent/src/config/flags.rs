//! Command-line flags as data, and what one of them does with its value.

use super::ArgumentError;
use std::iter::Peekable;
use std::slice::Iter;

/// A command-line flag, which sets something in a `T`.
pub(crate) struct Flag<T: 'static> {
    /// Its names, and the name of its value in capitals. Flags that have the same effect can share an entry.
    pub(crate) usage: &'static str,
    pub(crate) effect: FlagEffect<T>,
    /// Its effect in words; empty for a flag that the help does not list.
    pub(crate) help: &'static str,
}

/// A table of flags, one a line: its usage, its effect and its help.
macro_rules! flags {
    ($($usage:literal => $effect:expr $(, $help:literal)?;)*) => {
        &[$($crate::config::flags::Flag { usage: $usage, effect: $effect, help: concat!($($help)?) }),*]
    };
}
pub(crate) use flags;

/// What a flag does.
pub(crate) enum FlagEffect<T: 'static> {
    /// It has no value.
    Switch(fn(&mut T)),
    /// Its value is a text.
    Text(fn(&mut T) -> &mut Option<String>),
    /// Its value is one of these.
    OneOf(&'static [&'static str], fn(&mut T) -> &mut Option<String>),
    /// It can be repeated.
    Texts(fn(&mut T) -> &mut Vec<String>),
    /// Its value is a number from 1.
    Count(fn(&mut T) -> &mut Option<u32>),
    /// The real agent has it, and here it has no effect.
    Ignored(FlagValue),
}

/// Whether a value follows a flag.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FlagValue {
    No,
    Required,
    /// The next argument is its value, unless that is a flag.
    Optional,
}

/// The arguments that are not read yet.
pub(crate) type Rest<'a> = Peekable<Iter<'a, String>>;

/// An argument: the name of a flag, and the value after its `=`; or something else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument<'a> {
    pub(crate) text: &'a str,
    pub(crate) name: &'a str,
    pub(crate) value: Option<&'a str>,
}

impl<'a> Argument<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (text, None),
        };
        Argument { text, name, value }
    }

    /// Skips the value of this flag, if one may follow.
    pub(crate) fn skip_value(self, rest: &mut Rest<'_>, kind: FlagValue) {
        match kind {
            _ if self.value.is_some() => {}
            FlagValue::No => {}
            FlagValue::Required => drop(rest.next()),
            FlagValue::Optional => drop(rest.next_if(|next| !next.starts_with(['-', '@']))),
        }
    }
}

impl<T> Flag<T> {
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        let is_name = |word: &&str| word.starts_with(|c: char| c == '-' || c.is_lowercase());
        self.usage.split(' ').filter(is_name)
    }

    pub(crate) fn is_ignored(&self) -> bool {
        matches!(self.effect, FlagEffect::Ignored(_))
    }

    /// Its line in the help, if the help lists it.
    pub(crate) fn help_line(&self) -> Option<String> {
        let usage = self.usage.replace(" -", ", -");
        (!self.help.is_empty()).then(|| format!("  {usage:24} {}\n", self.help))
    }

    /// Does what the flag does, with its value from the argument itself or from those after it.
    ///
    /// # Errors
    /// The value is missing, invalid, or one too many.
    pub(crate) fn apply(
        &self,
        target: &mut T,
        argument: Argument<'_>,
        rest: &mut Rest<'_>,
    ) -> Result<(), ArgumentError> {
        let flag = || argument.name.to_owned();
        let mut value = || {
            let own = argument.value.map(str::to_owned);
            let value = own.or_else(|| rest.next().cloned());
            value.ok_or_else(|| ArgumentError::NoValue { flag: flag() })
        };
        match self.effect {
            FlagEffect::Switch(_) if argument.value.is_some() => {
                return Err(ArgumentError::UnexpectedValue { flag: flag() });
            }
            FlagEffect::Switch(set) => set(target),
            FlagEffect::Text(member) => *member(target) = Some(value()?),
            FlagEffect::Texts(member) => member(target).push(value()?),
            FlagEffect::OneOf(known, member) => {
                let value = value()?;
                if !known.contains(&value.as_str()) {
                    return Err(ArgumentError::NotOneOf {
                        flag: flag(),
                        value,
                        known: known.join(", "),
                    });
                }
                *member(target) = Some(value);
            }
            FlagEffect::Count(member) => {
                let value = value()?;
                let count = value.parse().ok().filter(|count| *count > 0);
                *member(target) = Some(count.ok_or_else(|| ArgumentError::NotACount {
                    flag: flag(),
                    value,
                })?);
            }
            FlagEffect::Ignored(kind) => {
                tracing::info!(
                    "the argument {} of the real agent is ignored",
                    argument.text
                );
                argument.skip_value(rest, kind);
            }
        }
        Ok(())
    }
}

/// The flag of this name, in the first table that has it.
pub(crate) fn find<T>(tables: &[&'static [Flag<T>]], name: &str) -> Option<&'static Flag<T>> {
    let mut flags = tables.iter().copied().flatten();
    flags.find(|flag| flag.names().any(|known| known == name))
}
