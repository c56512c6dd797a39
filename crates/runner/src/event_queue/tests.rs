//! The order of events, and the limits of the queue.

use super::*;
use std::io::Write;
use std::os::fd::OwnedFd;

/// A session whose stdout is this pipe.
fn session() -> (EventQueue, std::io::PipeWriter) {
    let (reader, writer) = std::io::pipe().unwrap();
    let queue = EventQueue::default();
    let reader = Receiver::from_owned_fd(OwnedFd::from(reader)).unwrap();
    queue.begin_session(Arc::new(reader), Instant::now());
    (queue, writer)
}

fn entry(event: JournalEvent) -> server::JournalEntry {
    server::JournalEntry {
        at: Instant::now(),
        event,
    }
}

fn request(n: u64, endpoint: ApiEndpoint) -> server::JournalEntry {
    entry(JournalEvent::Request(server::ReceivedRequest {
        n,
        method: "POST".into(),
        path: "/v1/messages".into(),
        query: String::new(),
        endpoint,
        headers: Default::default(),
        body: "{}".into(),
        is_side_request: false,
        lane: None,
    }))
}

fn reply(n: u64) -> server::JournalEntry {
    entry(JournalEvent::Reply {
        n,
        status: 200,
        reply: Some(0),
        message: None,
        end: server::ExchangeEnd::Complete,
    })
}

/// The queued events, each as one word.
fn words(queue: &EventQueue) -> Vec<String> {
    let word = |item| match item {
        SessionEvent::Frame(Frame {
            body: Body::FromAgent(line),
            ..
        }) => line.text().into_owned(),
        SessionEvent::Frame(frame) => frame.body.dir().to_owned(),
        SessionEvent::StdoutEnd => "stdout end".to_owned(),
        SessionEvent::Answered { .. } => "answered".to_owned(),
        SessionEvent::SideRequest(n) => format!("side request {n}"),
        SessionEvent::TerminalEnded { name, .. } => format!("terminal {name} ended"),
        SessionEvent::AnswerDue(n) => format!("answer {n} due"),
        SessionEvent::Failure(_) => "failure".to_owned(),
        SessionEvent::Overflow { .. } => "overflow".to_owned(),
    };
    std::iter::from_fn(|| queue.take()).map(word).collect()
}

#[tokio::test]
async fn output_written_before_a_request_is_queued_before_it() {
    let (queue, mut agent) = session();
    let messages = || ApiEndpoint::Message(mock_provider::Wire::AnthropicMessages);
    agent.write_all(b"one\n").unwrap();
    queue.add_model_event(request(0, messages()));
    queue.add_model_event(reply(0));
    agent.write_all(b"two\nthr").unwrap();
    queue.add_host_event(Body::Signal("SIGTERM".into()));
    agent.write_all(b"ee\n").unwrap();
    queue.add_model_event(request(1, messages()));
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
async fn requests_for_something_else_are_not_recorded() {
    let (queue, _agent) = session();
    queue.add_model_event(request(0, ApiEndpoint::Models));
    queue.add_model_event(reply(0));
    assert_eq!(words(&queue), Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_read_while_reading_is_paused() {
    let (queue, mut agent) = session();
    queue.pause(true);
    agent.write_all(b"one\n").unwrap();
    assert_eq!(queue.read_stdout(), PipeStatus::Blocked);
    assert_eq!(words(&queue), Vec::<String>::new());
    queue.pause(false);
    assert_eq!(queue.read_stdout(), PipeStatus::Empty);
    assert_eq!(words(&queue), ["one"]);
}

#[tokio::test]
async fn a_request_is_deferred_behind_output_that_is_not_read_yet() {
    let (queue, mut agent) = session();
    let messages = || ApiEndpoint::Message(mock_provider::Wire::AnthropicMessages);
    queue.pause(true);
    agent.write_all(b"one\ntwo\nhal").unwrap();
    queue.add_model_event(request(0, messages()));
    agent.write_all(b"f\nthree\n").unwrap();
    queue.add_model_event(reply(0));
    assert_eq!(words(&queue), Vec::<String>::new());
    queue.pause(false);
    queue.read_stdout();
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
    queue.add_model_event(request(1, messages()));
    queue.end_session(End::Exited {
        code: 0,
        orphans: 0,
    });
    assert_eq!(words(&queue), ["llm_request", "stdout end", "end"]);
}

#[tokio::test]
async fn the_end_is_the_last_event_of_a_session() {
    let (queue, mut agent) = session();
    agent.write_all(b"last").unwrap();
    drop(agent);
    assert_eq!(queue.read_stdout(), PipeStatus::Ended);
    queue.end_session(End::Exited {
        code: 0,
        orphans: 0,
    });
    assert!(!queue.add_host_event(Body::StdinClosed));
    assert_eq!(words(&queue), ["last", "stdout end", "end"]);
}

#[tokio::test]
async fn output_beyond_the_limit_waits_in_the_pipe() {
    let (queue, mut agent) = session();
    let writer = std::thread::spawn(move || {
        for _ in 0..2 * limits::QUEUE_EVENTS {
            agent.write_all(b"line\n").unwrap();
        }
    });
    let mut seen = 0;
    while queue.read_stdout() != PipeStatus::Ended {
        let held = words(&queue).len();
        // One read may bring many short lines at once.
        assert!(held <= limits::QUEUE_EVENTS + (64 << 10));
        seen += held;
    }
    seen += words(&queue).len();
    writer.join().unwrap();
    assert_eq!(seen, 2 * limits::QUEUE_EVENTS + 1);
}

#[tokio::test]
async fn the_time_with_a_full_queue_is_measured() {
    let (queue, mut agent) = session();
    agent.write_all(&b"x\n".repeat(8000)).unwrap();
    assert_eq!(queue.read_stdout(), PipeStatus::Blocked);
    let full = queue.time_full();
    let later = queue.time_full();
    assert!(full > Duration::ZERO && later > full);
    words(&queue);
    assert_eq!(queue.read_stdout(), PipeStatus::Empty);
    assert_eq!(queue.time_full(), queue.time_full());
}
