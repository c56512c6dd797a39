//! Arguments in, exit status out.

fn main() -> std::process::ExitCode {
    conform::cli::main()
}
