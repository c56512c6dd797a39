//! `conform mcp`: an MCP server over stdio that plays a script.

use super::catalogue::render_errors;
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::output;
use mcp_server::{McpServer, McpServerFile, McpServersFile, Reporter};
use spanned_yaml::{Spanned, unknown};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Serve a scripted MCP server over stdin and stdout
///
/// It plays a server of the part `mcp` of a scenario: its tools with their results, errors, silence and death. It ends with its stdin,
/// or with status 1 where the script lets it die.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// A scenario with the part `mcp`, or a map of servers alone
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The name of the server, if the file has several
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// The value of `{workspace}` in the file [default: the current folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The socket at which a run wants to know what reaches the server
    #[arg(long, value_name = "SOCKET", hide = true)]
    report: Option<PathBuf>,
    /// Arguments of the server, which change nothing; a scenario can expect them
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<OsString>,
}

pub(super) fn run(args: McpArgs) -> ExitCode {
    match prepare(args) {
        Ok((server, reporter)) => mcp_server::serve(&server, reporter),
        Err(error) => {
            output::error(error);
            ExitStatus::Usage.into()
        }
    }
}

/// The server, and the connection to the run that it belongs to.
fn prepare(args: McpArgs) -> Result<(McpServer, Option<Reporter>), CommandError> {
    let file = spanned_yaml::load_file(&args.file).map_err(|error| error.to_string())?;
    let workspace = args
        .workspace
        .map_or_else(std::env::current_dir, Ok)
        .map_err(|error| format!("the current folder is unknown: {error}"))?;
    let servers = mcp_server::load(&file, &workspace).map_err(|errors| render_errors(&errors))?;
    let (name, script) = chosen(servers, args.server.as_deref())?;
    let words = args.args.iter().map(|word| word.to_string_lossy().into());
    let reporter = args
        .report
        .map(|socket| Reporter::connect(&socket, &name, words.collect()))
        .transpose()
        .map_err(|error| format!("nobody takes the reports of the server: {error}"))?;
    Ok((McpServer::new(name.value, script), reporter))
}

/// The server of this name, or the only one.
fn chosen(
    mut servers: McpServersFile,
    name: Option<&str>,
) -> Result<(Spanned<String>, McpServerFile), String> {
    let names = || servers.keys().map(|name| name.value.as_str());
    let index = match name {
        Some(name) => names()
            .position(|known| known == name)
            .ok_or_else(|| unknown("MCP server", name, names()))?,
        None if servers.len() == 1 => 0,
        None => {
            let names: Vec<_> = names().collect();
            let message = match names.as_slice() {
                [] => "the file has no MCP server: write `mcp: { NAME: { tools: … } }`".to_owned(),
                names => format!("name one of the servers by --server: {}", names.join(", ")),
            };
            return Err(message);
        }
    };
    servers
        .shift_remove_index(index)
        .ok_or_else(|| "the file has no MCP server".to_owned())
}
