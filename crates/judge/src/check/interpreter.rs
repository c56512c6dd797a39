//! The command line of an agent that an interpreter or a shell runs.

use std::path::Path;

/// Interpreters and shells; a version may follow the name.
const INTERPRETERS: &[&str] = &[
    "bash", "bun", "dash", "deno", "ksh", "node", "perl", "php", "pypy", "python", "ruby", "sh",
    "zsh",
];
/// Short options, after which the word is the program.
const PROGRAMS: &[char] = &['c', 'e', 'm'];
/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &["-W", "-X", "-r", "--import", "--require"];

/// The words of a command line without an interpreter, its options and the program text that it is given: `-c` in `python3 -c CODE` is
/// no option of the agent.
pub(super) fn without_interpreter(argv: &[String]) -> &[String] {
    let Some((first, options)) = argv.split_first() else {
        return argv;
    };
    let name = Path::new(first).file_stem().and_then(|stem| stem.to_str());
    let name = name.map(|name| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    if !name.is_some_and(|name| INTERPRETERS.contains(&name)) {
        return argv;
    }
    let mut at = 0;
    while let Some(option) = options.get(at).filter(|word| word.starts_with('-')) {
        let is_short = !option.starts_with("--");
        let gives_program = is_short && option.ends_with(PROGRAMS);
        let takes_next = gives_program || WITH_VALUE.contains(&option.as_str());
        at += 1 + usize::from(takes_next);
        if gives_program {
            break;
        }
    }
    options.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::without_interpreter;

    #[test]
    fn options_of_an_interpreter_are_not_those_of_the_agent() {
        for (line, rest) in [
            ("agent --mode rpc -c", "agent --mode rpc -c"),
            ("python3.11 -IS -X a=b -c CODE x agent -c", "x agent -c"),
            ("/usr/bin/python3 -I agent.py -c", "agent.py -c"),
            ("node --require hook.js dist/cli.js -c", "dist/cli.js -c"),
            ("sh -ec CODE --continue", "--continue"),
            ("bash -c", ""),
            ("python-agent -c x", "python-agent -c x"),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(without_interpreter(&argv).join(" "), rest, "{line}");
        }
    }
}
