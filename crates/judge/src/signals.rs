//! Signals by their names.

use rustix::process::Signal;

/// Those that a scenario may send: the first of [`SIGNALS`].
pub const SENDABLE: usize = 10;

/// Every signal with a name here.
pub const SIGNALS: &[(&str, Signal)] = &[
    ("SIGTERM", Signal::TERM),
    ("SIGINT", Signal::INT),
    ("SIGHUP", Signal::HUP),
    ("SIGQUIT", Signal::QUIT),
    ("SIGKILL", Signal::KILL),
    ("SIGUSR1", Signal::USR1),
    ("SIGUSR2", Signal::USR2),
    ("SIGPIPE", Signal::PIPE),
    ("SIGSTOP", Signal::STOP),
    ("SIGCONT", Signal::CONT),
    ("SIGABRT", Signal::ABORT),
    ("SIGSEGV", Signal::SEGV),
    ("SIGBUS", Signal::BUS),
    ("SIGILL", Signal::ILL),
    ("SIGFPE", Signal::FPE),
    ("SIGTRAP", Signal::TRAP),
    ("SIGALRM", Signal::ALARM),
    ("SIGSYS", Signal::SYS),
];

/// The signal of this name.
pub fn find(name: &str) -> Option<Signal> {
    let found = SIGNALS.iter().find(|(known, _)| *known == name);
    found.map(|(_, signal)| *signal)
}

/// A signal's name, or its number where it has none here.
pub fn name(number: i32) -> String {
    let found = SIGNALS.iter().find(|(_, signal)| signal.as_raw() == number);
    found.map_or_else(
        || format!("signal {number}"),
        |(name, _)| (*name).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_has_one_name() {
        assert_eq!(
            find("SIGTERM")
                .map(|signal| name(signal.as_raw()))
                .as_deref(),
            Some("SIGTERM")
        );
        assert_eq!(find("TERM"), None);
        assert_eq!(name(99), "signal 99");
    }
}
