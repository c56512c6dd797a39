//! A name server that resolves no name, and records the requested ones.

use super::attempts::Attempts;
use tokio::net::UdpSocket;

/// The length of the header of a DNS message (RFC 1035, section 4.1.1).
const HEADER: usize = 12;
/// The flags of an answer: it is one, recursion is available, and the name does not exist.
const NO_SUCH_NAME: [u8; 2] = [0x81, 0x83];
/// The types of queries for an address: A, AAAA and HTTPS.
const ADDRESS_TYPES: [u16; 3] = [1, 28, 65];

/// A question of a client.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    name: String,
    kind: u16,
    /// Where it ends in the message.
    end: usize,
}

/// Answers every query, forever.
pub(super) async fn serve(socket: UdpSocket, attempts: Attempts) {
    let mut message = [0; 512];
    loop {
        let Ok((length, client)) = socket.recv_from(&mut message).await else {
            continue;
        };
        let Some(question) = question(&message[..length]) else {
            continue;
        };
        if is_outside(&question) {
            attempts.add(question.name.clone());
        }
        // A client that is gone needs no answer.
        let _ = socket.send_to(&answer(&message, &question), client).await;
    }
}

fn question(message: &[u8]) -> Option<Question> {
    let mut labels = Vec::new();
    let mut at = HEADER;
    loop {
        let length = usize::from(*message.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        let label = message.get(at..at + length)?;
        labels.push(String::from_utf8_lossy(label).into_owned());
        at += length;
    }
    let kind = u16::from_be_bytes(message.get(at..at + 2)?.try_into().ok()?);
    // The class follows the type.
    message.get(at + 4 - 1)?;
    Some(Question {
        name: labels.join("."),
        kind,
        end: at + 4,
    })
}

/// Whether the query is for the address of another machine: names without a dot belong to this one or its network.
fn is_outside(question: &Question) -> bool {
    let system = rustix::system::uname();
    let own = system.nodename().to_string_lossy();
    let rest = question.name.strip_prefix(&*own);
    let is_own = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    ADDRESS_TYPES.contains(&question.kind) && question.name.contains('.') && !is_own
}

/// The query turned into an answer: the same id and question, and no record.
fn answer(query: &[u8], question: &Question) -> Vec<u8> {
    let mut answer = query[..question.end].to_vec();
    answer[2..4].copy_from_slice(&NO_SUCH_NAME);
    answer[4..HEADER].copy_from_slice(&[0, 1, 0, 0, 0, 0, 0, 0]);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A query for the address of `api.example.com`.
    const QUERY: &[u8] = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01\x03api\x07example\x03com\x00\x00\x01\x00\x01more";

    #[test]
    fn a_query_is_read_and_answered() {
        let found = question(QUERY).unwrap();
        assert_eq!((found.name.as_str(), found.kind), ("api.example.com", 1));
        assert!(is_outside(&found));
        let answer = answer(QUERY, &found);
        assert_eq!(
            answer[..HEADER],
            *b"\x12\x34\x81\x83\x00\x01\x00\x00\x00\x00\x00\x00"
        );
        assert!(answer.ends_with(b"com\x00\x00\x01\x00\x01"));
    }

    #[test]
    fn a_message_that_is_cut_short_is_not_a_query() {
        for length in 0..QUERY.len() - 4 {
            assert_eq!(question(&QUERY[..length]), None, "{length}");
        }
    }

    #[test]
    fn names_of_this_machine_and_reverse_queries_are_not_recorded() {
        let asked = |name: &str, kind| {
            is_outside(&Question {
                name: name.into(),
                kind,
                end: 0,
            })
        };
        let own = rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned();
        assert!(!asked(&own, 1) && !asked(&format!("{own}.local"), 28));
        assert!(!asked("1.1.1.1.in-addr.arpa", 12) && asked("example.com", 65));
    }
}
