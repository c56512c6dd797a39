//! A proxy that blocks the network: it records the requested hosts, and refuses them. Requests to the loopback interface pass, for
//! clients that send everything to their proxy.

use super::attempts::Attempts;
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// The variables that name a proxy; clients look for either case.
const PROXY_VARIABLES: [&str; 6] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
];
/// The variables that name the hosts without a proxy.
const DIRECT_VARIABLES: [&str; 2] = ["NO_PROXY", "no_proxy"];
/// These hosts.
const LOOPBACK: [&str; 4] = ["127.0.0.1", "localhost", "::1", "[::1]"];
/// The longest head of a request that is read.
const LIMIT: usize = 16 << 10;
/// How long a client may take for it.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The answer to every request for another machine.
const REFUSED: &str = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 62\r\nConnection: close\r\n\r\nThe agent runs without a network. Its model is at {llm_url}.\r\n";

/// Starts the proxy. Returns the variables that make an agent use it.
///
/// # Errors
/// There is no free port.
pub(super) async fn start(attempts: &Attempts) -> io::Result<Vec<(String, String)>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let attempts = attempts.clone();
    tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((client, _)) => drop(tokio::spawn(serve(client, attempts.clone()))),
                Err(_) => tokio::task::yield_now().await,
            }
        }
    });
    let proxies = PROXY_VARIABLES.map(|name| (name.to_owned(), url.clone()));
    let direct = DIRECT_VARIABLES.map(|name| (name.to_owned(), LOOPBACK[..3].join(",")));
    Ok(proxies.into_iter().chain(direct).collect())
}

async fn serve(mut client: TcpStream, attempts: Attempts) {
    // A client that goes away, or sends no request, is not served.
    let _ = tokio::time::timeout(TIMEOUT, head(&mut client))
        .await
        .map(|head| {
            tokio::spawn(async move {
                if let Ok(head) = head {
                    let _ = answer(client, &head, &attempts).await;
                }
            })
        });
}

async fn answer(mut client: TcpStream, head: &[u8], attempts: &Attempts) -> io::Result<()> {
    let Some(target) = Target::parse(head) else {
        return client.write_all(REFUSED.as_bytes()).await;
    };
    if !LOOPBACK.contains(&target.host()) {
        attempts.add(target.authority);
        return client.write_all(REFUSED.as_bytes()).await;
    }
    let mut server = TcpStream::connect(&target.authority).await?;
    if target.is_tunnel {
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    } else {
        server.write_all(head).await?;
    }
    copy_bidirectional(&mut client, &mut server).await.map(drop)
}

/// The head of a request, and the part of its body that came with it.
async fn head(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while memchr::memmem::find(&head, b"\r\n\r\n").is_none() && head.len() < LIMIT {
        if client.read_buf(&mut head).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(head)
}

/// Where a request to a proxy goes.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    /// The host and the port.
    authority: String,
    is_tunnel: bool,
}

impl Target {
    fn parse(head: &[u8]) -> Option<Self> {
        let line = head.split(|byte| *byte == b'\r').next()?;
        let line = std::str::from_utf8(line).ok()?;
        let (method, rest) = line.split_once(' ')?;
        let target = rest.split(' ').next()?;
        if method == "CONNECT" {
            return Some(Target {
                authority: target.to_owned(),
                is_tunnel: true,
            });
        }
        let (_, rest) = target.split_once("://")?;
        let authority = rest.split(['/', '?']).next()?;
        let authority = authority.rsplit('@').next()?;
        let has_port = authority.rsplit(':').next()?.parse::<u16>().is_ok();
        Some(Target {
            authority: if has_port {
                authority.to_owned()
            } else {
                format!("{authority}:80")
            },
            is_tunnel: false,
        })
    }

    fn host(&self) -> &str {
        let host = self.authority.rsplit_once(':');
        host.map_or(&*self.authority, |(host, _)| host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_of_a_request_is_its_host() {
        for (head, host, is_tunnel) in [
            (
                "CONNECT api.example.com:443 HTTP/1.1\r\n\r\n",
                "api.example.com",
                true,
            ),
            (
                "GET http://example.com/x HTTP/1.1\r\n\r\n",
                "example.com",
                false,
            ),
            (
                "POST http://u:p@127.0.0.1:80/x?y HTTP/1.1\r\n\r\n",
                "127.0.0.1",
                false,
            ),
            ("GET http://[::1]:80 HTTP/1.1\r\n\r\n", "[::1]", false),
        ] {
            let target = Target::parse(head.as_bytes()).unwrap();
            assert_eq!(
                (target.host(), target.is_tunnel),
                (host, is_tunnel),
                "{head}"
            );
        }
        assert_eq!(Target::parse(b"GET / HTTP/1.1\r\n\r\n"), None);
        assert_eq!(Target::parse(b"\x16\x03\x01"), None);
    }

    #[tokio::test]
    async fn a_host_is_refused_and_recorded_and_loopback_passes() {
        let attempts = Attempts::default();
        let variables = start(&attempts).await.unwrap();
        let address = variables[0].1.strip_prefix("http://").unwrap().to_owned();
        let ask = async |request: String| {
            let mut client = TcpStream::connect(&address).await.unwrap();
            client.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            answer
        };
        let refused = ask("CONNECT api.example.com:443 HTTP/1.1\r\n\r\n".into()).await;
        let (head, body) = refused.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("403") && head.contains(&format!("Length: {}", body.len())));
        assert_eq!(attempts.hosts(), ["api.example.com:443"]);

        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}/x", server.local_addr().unwrap());
        let served = tokio::spawn(async move {
            let (mut client, _) = server.accept().await.unwrap();
            let request = super::head(&mut client).await.unwrap();
            client.write_all(b"served").await.unwrap();
            String::from_utf8(request).unwrap()
        });
        assert_eq!(ask(format!("GET {url} HTTP/1.1\r\n\r\n")).await, "served");
        assert!(served.await.unwrap().contains(&url));
        assert_eq!(attempts.hosts().len(), 1);
    }
}
