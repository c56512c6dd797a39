//! Parts of agents, in shell.

/// Says that it is up.
pub(crate) const READY: &str = r#"
echo '{"type":"ready","version":"0.1.0","session_id":"s1","capabilities":{"tool_approval":true,"thinking":true,"mcp":false}}'
"#;

/// Answers each message with an empty turn, until the end of stdin. It asks no model.
pub(crate) const TURNS: &str = r#"
while read -r line; do
  case "$line" in
    *'"message"'*)
      echo '{"type":"stream_start","msg_id":"m1"}'
      echo '{"type":"text_delta","msg_id":"m1","text":"hi"}'
      echo '{"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}' ;;
  esac
done
"#;

/// A scenario with a turn.
pub(crate) const TURN: &str = "
name: one turn
clauses: [aionrs.stream-end.closes-turn]
steps:
  - expect: { type: ready }
  - send: { type: message, msg_id: m1, input: hi }
  - expect: { type: stream_end, msg_id: m1 }
  - close_stdin:
  - expect_exit: { code: 0 }
";

/// A scenario that only waits for the agent and its end.
pub(crate) const UP_AND_DOWN: &str = "
name: up and down
clauses: [aionrs.shutdown.eof]
steps:
  - expect: { type: ready }
  - close_stdin:
  - expect_exit: { code: 0 }
";

/// An agent of these parts.
pub(crate) fn agent(parts: &[&str]) -> String {
    parts.concat()
}
