//! The reference agent, as a program of its own.

fn main() -> std::process::ExitCode {
    mock_agent::main(
        std::env::args_os().skip(1).collect(),
        conform::dialect::read_file,
    )
}
