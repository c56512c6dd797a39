// The aionrs JSON stream, version 0.1, as events of this host.

const VERSION = /^0\.1\./;

export class Aionrs {
  /** The arguments for a new session of this id. */
  args(session) {
    return ["--json-stream", "--session-id", session];
  }

  /** The commands that ask a process that has started whether it is ready: none, this agent says so by itself. */
  hello() {
    return [];
  }

  prompt(turn, text) {
    return { type: "message", msg_id: turn, input: text };
  }

  stop() {
    return { type: "stop" };
  }

  /** `decision` is `approve`, `approve-all` (calls of this category, for the rest of the session) or `deny`. */
  answer(call, decision, reason) {
    if (decision === "deny") return { type: "tool_deny", call_id: call, reason };
    return { type: "tool_approve", call_id: call, scope: decision === "approve-all" ? "always" : "once" };
  }

  /** The events of a frame. Throws if a member that the host needs is missing or no text. */
  read(frame) {
    const turn = frame.msg_id;
    const text = (value, name) => {
      if (typeof value !== "string") throw new TypeError(`${frame.type} has no text in ${name}`);
      return value;
    };
    const call = () => text(frame.call_id, "call_id");
    switch (frame.type) {
      case "ready":
        return [{ type: "ready", version: text(frame.version, "version"), known: VERSION.test(frame.version) }];
      case "stream_start":
        return [{ type: "turn-start", turn }];
      case "text_delta":
        return [{ type: "text", turn, text: text(frame.text, "text") }];
      case "thinking":
        return [{ type: "thinking", turn, text: text(frame.text, "text") }];
      case "tool_request":
        return [{ type: "call", turn, call: call(), name: text(frame.tool?.name, "tool.name"), args: frame.tool.args, summary: frame.tool.description ?? "" }];
      case "tool_running":
        return [{ type: "call-running", turn, call: call(), name: text(frame.tool_name, "tool_name") }];
      case "tool_result":
        return [{ type: "call-result", turn, call: call(), ok: frame.status === "success", format: frame.output_type, output: text(frame.output, "output") }];
      case "tool_cancelled":
        return [{ type: "call-cancelled", turn, call: call(), reason: frame.reason ?? "" }];
      case "error":
        return [{ type: "error", turn, text: text(frame.error?.message, "error.message") }];
      case "info":
        return [{ type: "info", turn, text: text(frame.message, "message") }];
      case "stream_end":
        return [{ type: "turn-end", turn }];
      default:
        throw new TypeError(`an event of the unknown type ${frame.type}`);
    }
  }
}
