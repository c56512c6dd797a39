//! Redirects the agent to the recorder instead of its model.

use std::ffi::{OsStr, OsString};
use std::process::Command;

/// Variables of a proxy that an agent may use for `http://`.
const PROXIES: [&str; 4] = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

/// Variables with the hosts that are reached without a proxy.
const NO_PROXY: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// Sets the arguments and the environment of an agent so that it uses the recorder at `own` instead of the model at `url`.
pub(super) fn redirect(agent: &mut Command, arguments: &[OsString], url: &str, own: &str) {
    agent.args(arguments.iter().map(|word| with_url(word, own)));
    let environment: Vec<_> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    agent.envs(redirected(&environment, url, own));
    agent.envs(without_proxy(&environment));
}

/// An argument with `{llm_url}` replaced by the recorder's own URL.
fn with_url(word: &OsStr, own: &str) -> OsString {
    match word.to_str() {
        Some(text) => text.replace("{llm_url}", own).into(),
        None => word.to_owned(),
    }
}

/// The environment variables with the URL of the model, with the URL of the recorder instead.
fn redirected(environment: &[(String, String)], url: &str, own: &str) -> Vec<(String, String)> {
    let found = environment.iter().filter_map(|(name, value)| {
        let rest = value.strip_prefix(url)?;
        let is_below = rest.is_empty() || rest.starts_with('/');
        is_below.then(|| (name.clone(), format!("{own}{rest}")))
    });
    found.collect()
}

/// The environment variables that keep requests to the recorder from a proxy, if there is one.
fn without_proxy(environment: &[(String, String)]) -> Vec<(&'static str, String)> {
    let value = |name: &str| {
        let found = environment.iter().find(|(known, _)| known == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    };
    if !PROXIES.iter().any(|name| value(name).is_some()) {
        return Vec::new();
    }
    let hosts = NO_PROXY
        .iter()
        .find_map(|name| value(name))
        .map_or("127.0.0.1".to_owned(), |hosts| format!("{hosts},127.0.0.1"));
    NO_PROXY.map(|name| (name, hosts.clone())).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "http://127.0.0.1:4000";

    fn environment(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn variables_that_begin_with_the_url_lead_to_the_recorder() {
        let environment = environment(&[
            ("A", "https://api.example.com"),
            ("B", "https://api.example.com/v1"),
            ("C", "https://api.example.community"),
            ("D", "see https://api.example.com"),
        ]);
        let found = redirected(&environment, "https://api.example.com", OWN);

        let expected = [
            ("A".to_owned(), OWN.to_owned()),
            ("B".to_owned(), format!("{OWN}/v1")),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_recorder_is_reached_without_the_proxy_of_the_environment() {
        assert_eq!(without_proxy(&environment(&[("NO_PROXY", "a")])), []);
        assert_eq!(without_proxy(&environment(&[("HTTP_PROXY", "")])), []);
        let pairs = [("HTTP_PROXY", "http://proxy:3128"), ("NO_PROXY", "a,b")];
        let found = without_proxy(&environment(&pairs));
        let hosts = "a,b,127.0.0.1".to_owned();
        assert_eq!(found, [("no_proxy", hosts.clone()), ("NO_PROXY", hosts)]);
    }
}
