//! The reference agent, as a program of its own.

fn main() -> std::process::ExitCode {
    let mut args = std::env::args_os();
    let program = args.next();
    mock_agent::main(program, args.collect(), conform::dialect::read_file)
}
