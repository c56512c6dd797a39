//! Command line options that several commands share.

use clap::ValueEnum;
use conform_judge::finding::Blame;
use conform_judge::profile::Profile;
use conform_report::reporter::terminal::Details;
use conform_report::reporter::{self, Format};
use spanned_yaml::{TimeSpan, unknown};
use std::borrow::Cow;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The options that choose a dialect.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct DialectArgs {
    /// The protocol to judge against, such as `aionrs@0.1`; without a version, the newest one
    #[arg(long, value_name = "NAME[@VERSION]")]
    pub(super) dialect: Option<String>,
    /// A folder `NAME/VERSION/` with dialects of your own, searched before the built-in ones
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub(super) dialect_dir: Option<PathBuf>,
}

/// One `--report FORMAT=PATH`.
#[derive(Debug, Clone)]
pub(super) struct ReportTarget {
    /// The format.
    pub(super) format: &'static Format,
    /// Where to write it; `-` is standard output.
    pub(super) path: PathBuf,
}

/// Parses `FORMAT=PATH`.
///
/// # Errors
/// The text has no known format or no path.
pub(super) fn report_target(text: &str) -> Result<ReportTarget, String> {
    let names = || reporter::FORMATS.iter().map(|format| format.name);
    let known = || names().collect::<Vec<_>>().join(", ");
    let (name, path) = text
        .split_once('=')
        .ok_or_else(|| format!("expected FORMAT=PATH, where FORMAT is one of {}", known()))?;
    let format = reporter::find(name).ok_or_else(|| unknown("format", name, names()))?;
    if path.is_empty() {
        return Err(format!("no path after '{name}='"));
    }
    Ok(ReportTarget {
        format,
        path: path.into(),
    })
}

/// Parses the path of a folder that exists.
///
/// # Errors
/// There is no such folder.
pub(super) fn folder(text: &str) -> Result<PathBuf, String> {
    if Path::new(text).is_dir() {
        Ok(text.into())
    } else {
        Err("there is no such folder".to_owned())
    }
}

/// Parses a time with its unit.
///
/// # Errors
/// The text is not a time with a unit.
pub(super) fn time_span(text: &str) -> Result<TimeSpan, String> {
    let parsed = text.parse();
    parsed.map_err(|()| "expected a time, such as 500ms, 90s or 5m".to_owned())
}

/// Parses a factor for timeouts.
///
/// # Errors
/// It is not a number above 0.
pub(super) fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("expected a factor above 0, such as 0.5 or 3".to_owned()),
    }
}

/// Parses a count.
///
/// # Errors
/// It is not a number of this type, or 0.
pub(super) fn at_least_one<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::Zero => "expected at least 1".to_owned(),
            _ => error.to_string(),
        })
}

/// The words of a command line as text.
pub(super) fn words<'a>(command: impl IntoIterator<Item = &'a OsString>) -> Vec<String> {
    let words = command.into_iter().map(|word| word.to_string_lossy());
    words.map(Cow::into_owned).collect()
}

/// `--side`.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum SideArg {
    /// Judge the agent
    #[default]
    Agent,
    /// Judge the host that drove it
    Host,
}

impl From<SideArg> for Blame {
    fn from(side: SideArg) -> Blame {
        match side {
            SideArg::Agent => Blame::Agent,
            SideArg::Host => Blame::Host,
        }
    }
}

/// `--profile`.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum ProfileArg {
    /// What the specification only recommends is a violation, and every note is a warning
    Strict,
    /// Every rule at its own strength
    #[default]
    Spec,
    /// Recommendations are notes; rules that come only from hosts or good practice are warnings at most
    Lenient,
}

impl From<ProfileArg> for Profile {
    fn from(profile: ProfileArg) -> Profile {
        match profile {
            ProfileArg::Strict => Profile::Strict,
            ProfileArg::Spec => Profile::Spec,
            ProfileArg::Lenient => Profile::Lenient,
        }
    }
}

/// `--details`.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum DetailsArg {
    /// Each cause once, with an example
    #[default]
    Causes,
    /// Also every finding of every scenario
    All,
}

impl From<DetailsArg> for Details {
    fn from(details: DetailsArg) -> Details {
        match details {
            DetailsArg::Causes => Details::Causes,
            DetailsArg::All => Details::All,
        }
    }
}
