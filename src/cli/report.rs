//! `conform report`: renders a JSON report in another format, merges the reports of shards, or compares agents.

use super::args::{ReportTarget, report_target};
use super::baseline::BaselineArgs;
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::reports;
use clap::Subcommand;
use conform_report::baseline::RunExtent;
use conform_report::reporter::{self, Compare};
use conform_report::{FORMAT, NamedReport, Report, ReportTool, merge};
use std::path::{Path, PathBuf};

/// Render a JSON report in another format, or merge the reports of shards
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct ReportArgs {
    /// The report, as written by `--report json=FILE`
    #[arg(required = true, value_name = "FILE.json")]
    file: Option<PathBuf>,
    /// What to render, and where to; repeatable; `-` as the path is standard output [default: terminal=-]
    #[arg(long, value_name = "FORMAT=PATH", value_parser = report_target)]
    to: Vec<ReportTarget>,
    /// Known causes to mark in the report, each with its reason
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    #[command(subcommand)]
    action: Option<ReportAction>,
}

#[derive(Debug, Subcommand)]
enum ReportAction {
    Merge(MergeArgs),
    SideBySide(SideBySideArgs),
}

/// Compare the reports of several agents side by side
#[derive(Debug, clap::Args)]
struct SideBySideArgs {
    /// The name of an agent and its report, as written by `--report json=FILE`
    #[arg(required = true, value_name = "NAME=FILE.json", value_parser = named)]
    reports: Vec<(String, PathBuf)>,
    /// What to render, `html` or `markdown`, and where to; repeatable; `-` as the path is standard output [default: markdown=-]
    #[arg(long, value_name = "FORMAT=PATH", value_parser = comparison_target)]
    to: Vec<ComparisonTarget>,
}

/// One `--to FORMAT=PATH` of a comparison.
#[derive(Debug, Clone)]
struct ComparisonTarget {
    compare: Compare,
    path: PathBuf,
}

/// Merge the reports of shards into one
#[derive(Debug, clap::Args)]
struct MergeArgs {
    /// The shards' reports, as written by `--report json=FILE`
    #[arg(required = true, value_name = "FILE.json")]
    files: Vec<PathBuf>,
    /// What to render, and where to; repeatable; `-` as the path is standard output [default: terminal=-]
    #[arg(long, value_name = "FORMAT=PATH", value_parser = report_target)]
    to: Vec<ReportTarget>,
    /// Known causes to mark in the report, each with its reason
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

pub(super) fn run(args: ReportArgs) -> Result<ExitStatus, CommandError> {
    let (files, to, baseline) = match args.action {
        Some(ReportAction::Merge(merge)) => (merge.files, merge.to, merge.baseline),
        Some(ReportAction::SideBySide(args)) => return side_by_side(args),
        None => (args.file.into_iter().collect(), args.to, args.baseline),
    };
    let to = if to.is_empty() {
        report_target("terminal=-").into_iter().collect()
    } else {
        to
    };
    let known = files.iter().chain(&baseline).map(PathBuf::as_path);
    reports::check(&to, known)?;
    let read = files
        .iter()
        .map(|file| read(file))
        .collect::<Result<Vec<_>, _>>();
    let mut report = merge(read?)?;
    if baseline.is_some() {
        let known = BaselineArgs::new(baseline).read()?;
        known.apply(&mut report, RunExtent::Part)?;
    }
    reports::write(&report, &to)?;
    Ok(ExitStatus::Conformant)
}

fn named(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() => Ok((name.to_owned(), file.into())),
        _ => Err("expected NAME=FILE.json".to_owned()),
    }
}

fn comparison_target(text: &str) -> Result<ComparisonTarget, String> {
    let ReportTarget { format, path } = report_target(text)?;
    let formats = reporter::FORMATS.iter();
    let able = formats
        .filter(|one| one.compare.is_some())
        .map(|one| one.name);
    let compare = format.compare.ok_or_else(|| {
        let able = able.collect::<Vec<_>>().join(" and ");
        format!("'{}' shows one agent; {able} compare several", format.name)
    })?;
    Ok(ComparisonTarget { compare, path })
}

fn side_by_side(args: SideBySideArgs) -> Result<ExitStatus, CommandError> {
    let to = if args.to.is_empty() {
        comparison_target("markdown=-").into_iter().collect()
    } else {
        args.to
    };
    let compared = args
        .reports
        .into_iter()
        .map(|(name, file)| {
            let mut report = read(&file)?;
            report.summarize();
            Ok(NamedReport { name, report })
        })
        .collect::<Result<Vec<_>, CommandError>>()?;
    for target in &to {
        reports::write_to(&target.path, false, |out| (target.compare)(&compared, out))?;
    }
    Ok(ExitStatus::Conformant)
}

/// The part of a report with its format version.
#[derive(serde::Deserialize)]
struct Head {
    tool: ReportTool,
}

fn read(file: &Path) -> Result<Report, CommandError> {
    let text = std::fs::read(file).map_err(CommandError::unreadable(file))?;
    if let Ok(Head { tool }) = serde_json::from_slice(&text)
        && tool.format != FORMAT
    {
        return Err(CommandError::usage(format!(
            "{}: a report of another version of conform (its format is {}, not {FORMAT}): write it again with `conform run` or `conform check`",
            file.display(),
            tool.format
        )));
    }
    serde_json::from_slice(&text).map_err(|error| {
        let (path, line, column) = (file.display(), error.line(), error.column());
        let text = error.to_string();
        let why = text.split(" at line ").next().unwrap_or(&text);
        let message = format!("{path}:{line}:{column}: not a report of conform: {why}");
        CommandError::usage(message)
    })
}
