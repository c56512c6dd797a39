//! Agents as shell scripts, and small scenarios for them.

/// Writes a `ready` event.
pub(crate) const READY: &str = r#"
echo '{"type":"ready","version":"0.1.0","session_id":"s1","capabilities":{"tool_approval":true,"thinking":true,"mcp":false}}'
"#;

/// Answers each message with a short turn until the end of stdin. It sends no request to the model.
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

/// A scenario with one turn.
pub(crate) const TURN: &str = "
name: one turn
clauses: [aionrs.stream-end.closes-turn]
steps:
  - send: { type: message, msg_id: m1, input: hi }
  - expect: { type: stream_end, msg_id: m1 }
  - close_stdin:
  - expect_exit: { code: 0 }
";

/// A scenario that waits for `ready` and the exit.
pub(crate) const START_AND_EXIT: &str = "
name: start and exit
clauses: [aionrs.shutdown.eof]
steps:
  - close_stdin:
  - expect_exit: { code: 0 }
";

/// An agent script of these parts.
pub(crate) fn agent(parts: &[&str]) -> String {
    parts.concat()
}
