// The RPC mode of pi, version 0.87, as events of this host.

/** The id of the command that asks whether the agent is up. */
const HELLO = "hello";

/** Dialogs that this host has no form for. They are cancelled, so that the agent does not wait forever. */
const UNSUPPORTED = new Set(["select", "input", "editor"]);

/** A turn of this host is a run of pi: from the prompt to `agent_settled`. */
export class Pi {
  /** The frames carry no id of their turn: it is that of the last prompt. */
  #turn = null;

  args() {
    return ["--mode", "rpc"];
  }

  hello() {
    return [{ id: HELLO, type: "get_state" }];
  }

  prompt(turn, text) {
    this.#turn = turn;
    return { id: turn, type: "prompt", message: text };
  }

  stop() {
    return { type: "abort" };
  }

  answer(call, decision) {
    return { type: "extension_ui_response", id: call, confirmed: decision !== "deny" };
  }

  /** The events of a frame. Throws if a member that the host needs is missing or no text. */
  read(frame) {
    const turn = this.#turn;
    const text = (value, name) => {
      if (typeof value !== "string") throw new TypeError(`${frame.type} has no text in ${name}`);
      return value;
    };
    const tool = () => ({ turn, call: text(frame.toolCallId, "toolCallId"), name: text(frame.toolName, "toolName") });
    switch (frame.type) {
      case "response":
        return this.#response(frame);
      case "message_update":
        return delta(turn, frame.assistantMessageEvent ?? {}, text);
      case "message_end":
        return frame.message?.stopReason === "error" ? [{ type: "error", turn, text: text(frame.message.errorMessage, "message.errorMessage") }] : [];
      case "tool_execution_start":
        return [{ type: "call-running", ...tool(), args: frame.args }];
      case "tool_execution_end":
        return [{ type: "call-result", ...tool(), ok: frame.isError === false, ...result(frame.result?.content ?? []) }];
      case "extension_ui_request":
        return dialog(turn, frame, text);
      case "extension_error":
        return [{ type: "error", turn, text: text(frame.error, "error") }];
      case "auto_retry_start":
        return [{ type: "info", turn, text: `Trying again (${frame.attempt} of ${frame.maxAttempts}): ${frame.errorMessage}` }];
      case "agent_settled":
        return [{ type: "turn-end", turn }];
      default:
        // Most events repeat what others have said in part: the beginning and the end of messages, runs and tools.
        text(frame.type, "type");
        return [];
    }
  }

  #response({ id, command, success, error }) {
    if (id === HELLO && success) return [{ type: "ready", version: "0.87", known: true }];
    if (success) return [];
    const failed = { type: "error", turn: this.#turn, text: `${command}: ${error}` };
    return id === this.#turn ? [failed, { type: "turn-end", turn: this.#turn }] : [failed];
  }
}

function delta(turn, event, text) {
  const types = { text_delta: "text", thinking_delta: "thinking" };
  const type = types[event.type];
  return type ? [{ type, turn, text: text(event.delta, "assistantMessageEvent.delta") }] : [];
}

function dialog(turn, { id, method, title, message, notifyType }, text) {
  const call = text(id, "id");
  if (method === "confirm") return [{ type: "call", turn, call, name: text(title, "title"), args: null, summary: message ?? "", dialog: true }];
  if (method === "notify") return [{ type: notifyType === "error" ? "error" : "info", turn, text: text(message, "message") }];
  if (!UNSUPPORTED.has(method)) return [];
  const reply = { type: "reply", command: { type: "extension_ui_response", id: call, cancelled: true } };
  return [{ type: "info", turn, text: `The agent asked: ${title}. This host has no form for that.` }, reply];
}

function result(content) {
  const image = content.find(({ type }) => type === "image");
  if (image) return { format: "image", output: image.data };
  return { format: "text", output: content.map(({ text }) => text ?? "").join("") };
}
