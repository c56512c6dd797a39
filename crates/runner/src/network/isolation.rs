//! The isolation of a run: how its agents are cut off from the network, and what they tried to reach.

use super::attempts::Attempts;
use super::proxy;
use serde::Deserialize;
use std::io;
use std::sync::OnceLock;

/// Set once this process is in a network namespace of its own.
static ENTERED: OnceLock<()> = OnceLock::new();

/// How agents are cut off from addresses outside of this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// By a network namespace.
    Namespace,
    /// By proxy variables, which most HTTP clients respect.
    Proxy,
    /// Not at all.
    #[default]
    None,
}

impl Isolation {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        spanned_yaml::names_of::<Self>()[self as usize]
    }

    /// Moves this process into a network namespace of its own if the kernel allows that. It must have one thread only. `is_allowed`:
    /// whether a child process could do so by way of a user namespace; a failed attempt would harm this process.
    #[must_use]
    pub fn enter(is_allowed: impl FnOnce() -> bool) -> Self {
        #[cfg(target_os = "linux")]
        {
            use super::namespace::{Privileges, enter};
            if enter(Privileges::OfCaller).is_ok()
                || is_allowed() && enter(Privileges::OfUserNamespace).is_ok()
            {
                ENTERED.get_or_init(Default::default);
                return Isolation::Namespace;
            }
        }
        #[cfg(not(target_os = "linux"))]
        drop(is_allowed);
        Isolation::Proxy
    }
}

/// Whether this process, and what it starts, is in a network namespace of its own, which other processes do not see.
pub(crate) fn is_in_namespace() -> bool {
    ENTERED.get().is_some()
}

/// Whether this process can make a network namespace. It changes the process, so it must do nothing else.
#[must_use]
pub fn can_isolate() -> bool {
    #[cfg(target_os = "linux")]
    {
        use super::namespace::{Privileges, enter};
        enter(Privileges::OfUserNamespace).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// Watches what agents try to reach.
#[derive(Debug, Default)]
pub struct NetworkWatch {
    attempts: Attempts,
    variables: Vec<(String, String)>,
}

impl NetworkWatch {
    /// Starts to record, in the background.
    ///
    /// # Errors
    /// The proxy cannot listen.
    pub async fn start(isolation: Isolation) -> io::Result<Self> {
        let mut watch = NetworkWatch::default();
        match isolation {
            Isolation::Namespace => {
                #[cfg(target_os = "linux")]
                super::namespace::watch(&watch.attempts).await;
            }
            Isolation::Proxy => watch.variables = proxy::start(&watch.attempts).await?,
            Isolation::None => {}
        }
        Ok(watch)
    }

    /// The environment variables that an agent needs.
    #[must_use]
    pub fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    /// The hosts that were tried so far.
    #[must_use]
    pub fn attempts(&self) -> Vec<String> {
        self.attempts.hosts()
    }
}
