//! Two requests to the kernel's routing interface (rtnetlink(7)): switch the loopback interface on, and treat every address as one of
//! this machine.

use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use std::io;
use std::os::fd::OwnedFd;

/// The index of the loopback interface in every namespace.
const LOOPBACK: u32 = 1;
const NEW_LINK: u16 = 16;
const NEW_ROUTE: u16 = 24;
/// A request that is acknowledged.
const REQUEST: u16 = 1 | 4;
/// One that makes something new.
const CREATE: u16 = REQUEST | 0x400;
/// The flag of an interface that is up.
const UP: u32 = 1;
const IPV4: u8 = 2;
const IPV6: u8 = 10;
/// Table `local`, protocol `boot`, scope `host`, type `local`.
const LOCAL_ROUTE: [u8; 4] = [255, 3, 254, 2];
/// The attribute of a route that names its interface.
const OUTPUT_INTERFACE: u16 = 4;

/// Switches the loopback interface on.
pub(super) fn loopback_up() -> io::Result<()> {
    let mut body = vec![0; 4];
    for word in [LOOPBACK, UP, UP] {
        body.extend(word.to_ne_bytes());
    }
    request(NEW_LINK, REQUEST, &body)
}

/// Treats every address without another route as one of this machine, so that connections to it end here.
pub(super) fn all_addresses_local() -> io::Result<()> {
    request(NEW_ROUTE, CREATE, &local_route(IPV4))?;
    // A machine may have no IPv6.
    let _ = request(NEW_ROUTE, CREATE, &local_route(IPV6));
    Ok(())
}

fn local_route(family: u8) -> Vec<u8> {
    let mut body = vec![family, 0, 0, 0];
    body.extend(LOCAL_ROUTE);
    body.extend(0_u32.to_ne_bytes());
    body.extend(8_u16.to_ne_bytes());
    body.extend(OUTPUT_INTERFACE.to_ne_bytes());
    body.extend(LOOPBACK.to_ne_bytes());
    body
}

/// Sends a request and waits for its acknowledgement.
fn request(kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
    let socket: OwnedFd = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let length = u32::try_from(16 + body.len()).unwrap_or(u32::MAX);
    let mut message = length.to_ne_bytes().to_vec();
    message.extend(kind.to_ne_bytes());
    message.extend(flags.to_ne_bytes());
    message.extend([0; 8]);
    message.extend(body);
    rustix::net::send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0_u8; 256];
    let (length, _) = rustix::net::recv(&socket, &mut answer[..], RecvFlags::empty())?;
    let error = answer[..length]
        .get(16..20)
        .and_then(|code| code.try_into().ok());
    match error.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(code) => Err(Errno::from_raw_os_error(-code).into()),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}
