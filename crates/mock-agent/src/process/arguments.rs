//! The arguments of the process, before it is known which agent they are for: a flag is found by its name, wherever it stands.

use crate::protocols::adapter::Adapter;
use std::ffi::OsString;

/// The arguments, without the name of the program.
#[derive(Debug, Clone)]
pub(super) struct Arguments(Vec<String>);

impl Arguments {
    pub(super) fn new(args: &[OsString]) -> Self {
        let words = args.iter().map(|arg| arg.to_string_lossy().into_owned());
        Arguments(words.collect())
    }

    pub(super) fn words(&self) -> &[String] {
        &self.0
    }

    /// The word at this place.
    pub(super) fn word(&self, place: usize) -> Option<&str> {
        self.0.get(place).map(String::as_str)
    }

    /// Whether one of these words is among the arguments.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.0.iter().any(|arg| words.contains(&arg.as_str()))
    }

    /// Whether they choose the protocol of this adapter.
    pub(super) fn choose(&self, adapter: &Adapter) -> bool {
        match adapter.activation.split_once(' ') {
            Some((flag, value)) => self.value(flag) == Ok(Some(value)),
            None if adapter.activation.starts_with('-') => self.has(&[adapter.activation]),
            None => self.word(0) == Some(adapter.activation),
        }
    }

    /// The value of a flag, `--flag value` or `--flag=value`; `None` without the flag.
    ///
    /// # Errors
    /// The flag has no value.
    pub(super) fn value(&self, flag: &str) -> Result<Option<&str>, String> {
        let Some(at) = self.place(flag) else {
            return Ok(None);
        };
        let joined = self.0[at].split_once('=').map(|(_, value)| value);
        let value = joined.or_else(|| self.word(at + 1));
        value
            .map(Some)
            .ok_or_else(|| format!("{flag} needs a value"))
    }

    /// Removes a flag; returns its value.
    ///
    /// # Errors
    /// The flag has no value.
    pub(super) fn take(&mut self, flag: &str) -> Result<Option<String>, String> {
        let value = self.value(flag)?.map(str::to_owned);
        if let Some(at) = self.place(flag) {
            let is_joined = self.0[at].contains('=');
            self.0.drain(at..at + if is_joined { 1 } else { 2 });
        }
        Ok(value)
    }

    fn place(&self, flag: &str) -> Option<usize> {
        let is_flag = |arg: &String| arg.split('=').next() == Some(flag);
        self.0.iter().position(is_flag)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::process) fn arguments(words: &[&str]) -> Arguments {
        Arguments(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn a_flag_is_found_and_taken_with_its_value() {
        for words in [
            ["--control=d", "rpc"].as_slice(),
            &["rpc", "--control", "d"],
        ] {
            let mut args = arguments(words);
            assert_eq!(args.value("--control"), Ok(Some("d")));
            assert_eq!(args.take("--control"), Ok(Some("d".to_owned())));
            assert_eq!(args.words(), ["rpc"]);
            assert_eq!(args.take("--control"), Ok(None));
        }
        let why = arguments(&["--control"]).take("--control").unwrap_err();
        assert_eq!(why, "--control needs a value");
    }
}
