//! The order of things.

use super::*;
use mock_provider::Headers;
use std::io::Write;
use std::os::fd::OwnedFd;

/// A session whose stdout is this pipe.
fn session() -> (EventQueue, std::io::PipeWriter) {
    let (reader, writer) = std::io::pipe().unwrap();
    let queue = EventQueue::default();
    let reader = Receiver::from_owned_fd(OwnedFd::from(reader)).unwrap();
    queue.begin(Arc::new(reader), Instant::now());
    (queue, writer)
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
fn words(queue: &EventQueue) -> Vec<String> {
    let word = |item| match item {
        SessionEvent::Frame(Frame {
            body: Body::FromAgent(line),
            ..
        }) => line.text().into_owned(),
        SessionEvent::Frame(frame) => frame.body.dir().to_owned(),
        SessionEvent::StdoutEnd => "stdout end".to_owned(),
        SessionEvent::Answered { .. } => "answered".to_owned(),
        SessionEvent::Failure(_) => "failure".to_owned(),
        SessionEvent::Overflow { .. } => "overflow".to_owned(),
    };
    std::iter::from_fn(|| queue.take()).map(word).collect()
}

#[tokio::test]
async fn what_was_written_before_a_request_stands_before_it() {
    let (queue, mut agent) = session();
    let messages = || Endpoint::Message(mock_provider::Wire::AnthropicMessages);
    agent.write_all(b"one\n").unwrap();
    queue.model(request(0, messages()));
    queue.model(reply(0));
    agent.write_all(b"two\nthr").unwrap();
    queue.host(Body::Signal("SIGTERM".into()));
    agent.write_all(b"ee\n").unwrap();
    queue.model(request(1, messages()));
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
    assert_eq!(words(&queue), expected);
}

#[tokio::test]
async fn requests_for_something_else_are_no_history() {
    let (queue, _agent) = session();
    queue.model(request(0, Endpoint::Models));
    queue.model(reply(0));
    assert_eq!(words(&queue), Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_read_while_reading_is_paused() {
    let (queue, mut agent) = session();
    queue.pause(true);
    agent.write_all(b"one\n").unwrap();
    assert_eq!(queue.pump(), PipeStatus::Blocked);
    assert_eq!(words(&queue), Vec::<String>::new());
    queue.pause(false);
    assert_eq!(queue.pump(), PipeStatus::Empty);
    assert_eq!(words(&queue), ["one"]);
}

#[tokio::test]
async fn a_request_waits_for_what_is_not_read_yet() {
    let (queue, mut agent) = session();
    let messages = || Endpoint::Message(mock_provider::Wire::AnthropicMessages);
    queue.pause(true);
    agent.write_all(b"one\ntwo\nhal").unwrap();
    queue.model(request(0, messages()));
    agent.write_all(b"f\nthree\n").unwrap();
    queue.model(reply(0));
    assert_eq!(words(&queue), Vec::<String>::new());
    queue.pause(false);
    queue.pump();
    let expected = [
        "one",
        "two",
        "llm_request",
        "half",
        "three",
        "answered",
        "llm_reply",
    ];
    assert_eq!(words(&queue), expected);
    queue.pause(true);
    agent.write_all(b"four\n").unwrap();
    queue.model(request(1, messages()));
    queue.end(End::Exited {
        code: 0,
        orphans: 0,
    });
    assert_eq!(words(&queue), ["llm_request", "stdout end", "end"]);
}

#[tokio::test]
async fn the_end_stands_behind_everything_and_nothing_behind_it() {
    let (queue, mut agent) = session();
    agent.write_all(b"last").unwrap();
    drop(agent);
    assert_eq!(queue.pump(), PipeStatus::SuiteEnd);
    queue.end(End::Exited {
        code: 0,
        orphans: 0,
    });
    assert!(!queue.host(Body::StdinClosed));
    assert_eq!(words(&queue), ["last", "stdout end", "end"]);
}

#[tokio::test]
async fn more_than_can_be_held_waits_in_the_pipe() {
    let (queue, mut agent) = session();
    let writer = std::thread::spawn(move || {
        for _ in 0..2 * limits::HELD_ITEMS {
            agent.write_all(b"line\n").unwrap();
        }
    });
    let mut seen = 0;
    while queue.pump() != PipeStatus::SuiteEnd {
        let held = words(&queue).len();
        // One read may bring many short lines at once.
        assert!(held <= limits::HELD_ITEMS + (64 << 10));
        seen += held;
    }
    seen += words(&queue).len();
    writer.join().unwrap();
    assert_eq!(seen, 2 * limits::HELD_ITEMS + 1);
}

#[tokio::test]
async fn while_too_much_is_held_the_agent_cannot_be_heard() {
    let (queue, mut agent) = session();
    agent.write_all(&b"x\n".repeat(8000)).unwrap();
    assert_eq!(queue.pump(), PipeStatus::Blocked);
    let deaf = queue.deaf();
    let later = queue.deaf();
    assert!(deaf > Duration::ZERO && later > deaf);
    words(&queue);
    assert_eq!(queue.pump(), PipeStatus::Empty);
    assert_eq!(queue.deaf(), queue.deaf());
}
