// What the page shows, computed from the events of the host alone. It runs in the browser and in tests.

export const initialState = () => ({
  /** `starting`, `ready` or `ended`. */
  agent: "starting",
  how: "",
  /** An error that belongs to no turn, such as a missing API key. */
  error: "",
  turns: [],
  /** What the agent wrote to stderr, and what is wrong with its stdout. */
  log: [],
});

/** The turn that has not ended. */
export const openTurn = (state) => state.turns.find((turn) => turn.outcome === null);

/** Applies an event to the state. Each block counts its changes in `changes`, so that only these are drawn again. */
export function apply(state, event) {
  const turn = state.turns.find(({ id }) => id === event.turn);
  if (turn) turn.silent = 0;
  switch (event.type) {
    case "starting":
      Object.assign(state, { agent: "starting", how: "", error: "" });
      break;
    case "ready":
      state.agent = "ready";
      break;
    case "ended":
      Object.assign(state, { agent: "ended", how: event.how });
      break;
    case "prompt":
      state.turns.push({ id: event.turn, prompt: event.text, blocks: [], outcome: null, text: "", stopping: false, silent: 0 });
      break;
    case "text":
    case "thinking":
      append(turn, event);
      break;
    case "error":
    case "info":
      if (turn) turn.blocks.push(block(event.type, event));
      else state.log.push({ source: event.type, text: event.text });
      if (!turn && event.type === "error") state.error = event.text;
      break;
    case "call":
      change(call(turn, event), { state: "asking", args: event.args, summary: event.summary, dialog: event.dialog });
      break;
    case "call-answered":
      change(call(turn, event), { state: event.decision === "deny" ? "denied" : "approved" });
      break;
    case "call-running":
      running(call(turn, event), event);
      break;
    case "call-result":
      change(call(turn, event), { state: event.ok ? "done" : "failed", format: event.format, output: event.output });
      break;
    case "call-cancelled":
      cancel(call(turn, event), event.reason);
      break;
    case "stopping":
      turn.stopping = true;
      break;
    case "silent":
      turn.silent = event.seconds;
      break;
    case "turn-end":
      endTurn(turn, event);
      break;
    case "stderr":
    case "problem":
      state.log.push({ source: event.type, text: event.text });
      break;
  }
  return state;
}

function block(kind, { text, late = false }) {
  return { kind, text, late, changes: 0 };
}

/** Text of the same kind continues the last block. */
function append(turn, event) {
  const last = turn.blocks.at(-1);
  if (last?.kind === event.type && last.late === Boolean(event.late)) change(last, { text: last.text + event.text });
  else turn.blocks.push(block(event.type, event));
}

/** The block of a call: from the event that asks for it, or from the first one about it if it needs no approval. */
function call(turn, { call: id, name, late = false }) {
  const known = turn.blocks.find((block) => block.id === id);
  if (known) return known;
  const created = { ...block("call", { text: "", late }), id, name: name ?? "tool", state: "running", args: null, summary: "", dialog: false, format: "text", output: "" };
  turn.blocks.push(created);
  return created;
}

function change(block, members) {
  Object.assign(block, members);
  block.changes += 1;
}

/** The arguments of a call that needs no approval may come with its start. */
function running(block, { args = block.args }) {
  change(block, { state: "running", args });
}

/** A call that the user has denied stays denied: its reason comes back from the agent. */
function cancel(block, reason) {
  change(block, { state: block.state === "denied" ? "denied" : "cancelled", output: reason });
}

/** Calls that are open when their turn ends have no result. An answered dialog needs none. A second end changes nothing. */
function endTurn(turn, { outcome, text = "", late }) {
  if (late) return;
  Object.assign(turn, { outcome, text });
  const open = turn.blocks.filter(({ kind, state, dialog }) => kind === "call" && (["asking", "running"].includes(state) || (state === "approved" && !dialog)));
  open.forEach((block) => change(block, { state: "cancelled" }));
}
