//! A client of the scripted model, as small as it can be: a chat completion on an open connection.

use serde_json::json;
use std::io::Read;
use std::net::TcpStream;

/// A request for an answer, streamed or in one document.
pub(crate) fn request(stream: bool) -> String {
    let body = json!({ "model": "gpt-4o", "stream": stream, "messages": [{ "role": "user", "content": "hello" }] });
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\nauthorization: Bearer k\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Reads one answer, to its content length or its last chunk.
pub(crate) fn read_answer(connection: &mut TcpStream, answer: &mut Vec<u8>) {
    let mut buffer = [0; 64 << 10];
    answer.clear();
    while !is_whole(answer) {
        let read = connection.read(&mut buffer).expect("an answer");
        assert_ne!(read, 0, "the connection closed");
        answer.extend_from_slice(&buffer[..read]);
    }
}

fn is_whole(answer: &[u8]) -> bool {
    let Some(head) = answer.windows(4).position(|end| end == b"\r\n\r\n") else {
        return false;
    };
    let text = String::from_utf8_lossy(&answer[..head]).to_ascii_lowercase();
    assert!(text.starts_with("http/1.1 200"), "{text}");
    match text.split_once("content-length: ") {
        None => answer.ends_with(b"\r\n0\r\n\r\n"),
        Some((_, length)) => {
            let length = length.lines().next().unwrap_or_default();
            answer.len() == head + 4 + length.parse::<usize>().expect("a length")
        }
    }
}
