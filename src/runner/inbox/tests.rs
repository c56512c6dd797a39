//! The order of things.

use super::*;
use mock_provider::Headers;
use std::io::Write;
use std::os::fd::OwnedFd;

/// A session whose stdout is this pipe.
fn session() -> (Inbox, std::io::PipeWriter) {
    let (reader, writer) = std::io::pipe().unwrap();
    let inbox = Inbox::default();
    let reader = Receiver::from_owned_fd(OwnedFd::from(reader)).unwrap();
    inbox.begin(Arc::new(reader), Instant::now());
    (inbox, writer)
}

fn entry(event: Event) -> server::Entry {
    server::Entry {
        at: Instant::now(),
        event,
    }
}

fn request(n: u64, endpoint: Endpoint) -> server::Entry {
    entry(Event::Request(server::Arrived {
        n,
        method: "POST".into(),
        path: "/v1/messages".into(),
        query: String::new(),
        endpoint,
        headers: Headers::new(),
        body: "{}".into(),
    }))
}

fn reply(n: u64) -> server::Entry {
    entry(Event::Reply {
        n,
        status: 200,
        reply: Some(0),
        end: server::End::Complete,
    })
}

/// What happened, in a word each.
fn words(inbox: &Inbox) -> Vec<String> {
    let word = |item| match item {
        Item::Frame(Frame {
            body: Body::FromAgent(line),
            ..
        }) => line.text().into_owned(),
        Item::Frame(frame) => frame.body.dir().to_owned(),
        Item::StdoutEnd => "stdout end".to_owned(),
        Item::Answered { .. } => "answered".to_owned(),
        Item::Failure(_) => "failure".to_owned(),
        Item::Overflow { .. } => "overflow".to_owned(),
    };
    std::iter::from_fn(|| inbox.take()).map(word).collect()
}

#[tokio::test]
async fn what_was_written_before_a_request_stands_before_it() {
    let (inbox, mut agent) = session();
    let messages = || Endpoint::Message(mock_provider::Wire::AnthropicMessages);
    agent.write_all(b"one\n").unwrap();
    inbox.model(request(0, messages()));
    inbox.model(reply(0));
    agent.write_all(b"two\nthr").unwrap();
    inbox.host(Body::Signal("SIGTERM".into()));
    agent.write_all(b"ee\n").unwrap();
    inbox.model(request(1, messages()));
    let expected = [
        "one",
        "llm_request",
        "answered",
        "llm_reply",
        "two",
        "signal",
        "three",
        "llm_request",
    ];
    assert_eq!(words(&inbox), expected);
}

#[tokio::test]
async fn requests_for_something_else_are_no_history() {
    let (inbox, _agent) = session();
    inbox.model(request(0, Endpoint::Models));
    inbox.model(reply(0));
    assert_eq!(words(&inbox), Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_read_while_reading_is_paused() {
    let (inbox, mut agent) = session();
    inbox.pause(true);
    agent.write_all(b"one\n").unwrap();
    assert_eq!(inbox.pump(), Pumped::Blocked);
    assert_eq!(words(&inbox), Vec::<String>::new());
    inbox.pause(false);
    assert_eq!(inbox.pump(), Pumped::Empty);
    assert_eq!(words(&inbox), ["one"]);
}

#[tokio::test]
async fn a_request_waits_for_what_is_not_read_yet() {
    let (inbox, mut agent) = session();
    let messages = || Endpoint::Message(mock_provider::Wire::AnthropicMessages);
    inbox.pause(true);
    agent.write_all(b"one\ntwo\nhal").unwrap();
    inbox.model(request(0, messages()));
    agent.write_all(b"f\nthree\n").unwrap();
    inbox.model(reply(0));
    assert_eq!(words(&inbox), Vec::<String>::new());
    inbox.pause(false);
    inbox.pump();
    let expected = [
        "one",
        "two",
        "llm_request",
        "half",
        "three",
        "answered",
        "llm_reply",
    ];
    assert_eq!(words(&inbox), expected);
    inbox.pause(true);
    agent.write_all(b"four\n").unwrap();
    inbox.model(request(1, messages()));
    inbox.end(End::Exited {
        code: 0,
        orphans: 0,
    });
    assert_eq!(words(&inbox), ["llm_request", "stdout end", "end"]);
}

#[tokio::test]
async fn the_end_stands_behind_everything_and_nothing_behind_it() {
    let (inbox, mut agent) = session();
    agent.write_all(b"last").unwrap();
    drop(agent);
    assert_eq!(inbox.pump(), Pumped::Ended);
    inbox.end(End::Exited {
        code: 0,
        orphans: 0,
    });
    assert!(!inbox.host(Body::StdinClosed));
    assert_eq!(words(&inbox), ["last", "stdout end", "end"]);
}

#[tokio::test]
async fn more_than_can_be_held_waits_in_the_pipe() {
    let (inbox, mut agent) = session();
    let writer = std::thread::spawn(move || {
        for _ in 0..2 * limits::HELD_ITEMS {
            agent.write_all(b"line\n").unwrap();
        }
    });
    let mut seen = 0;
    while inbox.pump() != Pumped::Ended {
        let held = words(&inbox).len();
        // One read may bring many short lines at once.
        assert!(held <= limits::HELD_ITEMS + (64 << 10));
        seen += held;
    }
    seen += words(&inbox).len();
    writer.join().unwrap();
    assert_eq!(seen, 2 * limits::HELD_ITEMS + 1);
}

#[tokio::test]
async fn while_too_much_is_held_the_agent_cannot_be_heard() {
    let (inbox, mut agent) = session();
    agent.write_all(&b"x\n".repeat(8000)).unwrap();
    assert_eq!(inbox.pump(), Pumped::Blocked);
    let deaf = inbox.deaf();
    let later = inbox.deaf();
    assert!(deaf > Duration::ZERO && later > deaf);
    words(&inbox);
    assert_eq!(inbox.pump(), Pumped::Empty);
    assert_eq!(inbox.deaf(), inbox.deaf());
}
