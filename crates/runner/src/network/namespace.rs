//! A network namespace for this process and its children (network_namespaces(7)): it contains nothing but a loopback interface.

use super::attempts::Attempts;
use super::{dns, netlink};
use nix::sched::{CloneFlags, setns, unshare};
use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::{TcpListener, UdpSocket};

/// The port of name servers.
const DNS: u16 = 53;
/// The ports of web servers: a connection to a literal address ends here.
const WEB: [u16; 2] = [443, 80];

/// Whether this process may make a namespace without the privileges for it, by way of a user namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Privileges {
    /// Only with the privileges of the caller.
    OfCaller,
    /// Also by way of a user namespace.
    OfUserNamespace,
}

/// Moves this process into a namespace of its own. It must have one thread only.
///
/// # Errors
/// The kernel does not allow it. After a failure with [`Privileges::OfUserNamespace`] the process may have lost its user id.
pub(super) fn enter(privileges: Privileges) -> io::Result<()> {
    let before = File::open("/proc/self/ns/net")?;
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => {
            return set_up().inspect_err(|_| {
                // Fails only without the privileges that have just been used.
                let _ = setns(before, CloneFlags::CLONE_NEWNET);
            });
        }
        Err(_) if privileges == Privileges::OfUserNamespace => {
            let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
            unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)?;
            let (user, group) = (user.as_raw(), group.as_raw());
            fs::write("/proc/self/setgroups", "deny")?;
            fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
            fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        }
        Err(error) => return Err(error.into()),
    }
    set_up()
}

fn set_up() -> io::Result<()> {
    netlink::loopback_up()?;
    netlink::all_addresses_local()
}

/// Records what agents look up and connect to. A port may be taken; without it, less is recorded.
pub(super) async fn watch(attempts: &Attempts) {
    for address in [Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()] {
        if let Ok(socket) = UdpSocket::bind(SocketAddr::new(address, DNS)).await {
            tokio::spawn(dns::serve(socket, attempts.clone()));
        }
        for port in WEB {
            if let Ok(listener) = TcpListener::bind(SocketAddr::new(address, port)).await {
                tokio::spawn(refuse(listener, attempts.clone()));
            }
        }
    }
}

/// Closes every connection, and records the address that it was meant for.
async fn refuse(listener: TcpListener, attempts: Attempts) {
    loop {
        let Ok((connection, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        if let Ok(address) = connection.local_addr()
            && !address.ip().is_loopback()
        {
            attempts.add(address.to_string());
        }
    }
}
