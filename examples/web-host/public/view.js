// Draws turns. Each view keeps its node and draws again only what has changed.
import { markdown } from "./markdown.js";

const STATES = { asking: "Needs approval", approved: "Approved", running: "Running", done: "Done", failed: "Failed", denied: "Denied", cancelled: "Cancelled" };
const OUTCOMES = { stopped: "Stopped.", crashed: "The agent ended in the middle of its answer.", empty: "The agent ended its turn without an answer." };

export function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

/** A view of a turn: `{ node, draw }`. `answer(call, decision, reason)` is called for the user's decisions. */
export function turnView(turn, answer) {
  const blocks = element("div", { className: "blocks" });
  const outcome = element("p", { hidden: true });
  const node = element("li", { className: "turn" }, element("p", { className: "prompt", textContent: turn.prompt }), blocks, outcome);
  const views = [];

  function draw() {
    turn.blocks.forEach((block, n) => {
      if (views[n]?.drawn === block.changes) return;
      if (!views[n]) {
        views[n] = (BLOCKS[block.kind] ?? plain)(block, answer);
        views[n].node.classList.toggle("late", block.late);
        blocks.append(views[n].node);
      }
      views[n].draw?.();
      views[n].drawn = block.changes;
    });
    const [name, text] = ending(turn);
    outcome.hidden = !name;
    outcome.className = name === "waiting" ? "waiting" : "outcome";
    outcome.dataset.outcome = name;
    if (outcome.textContent !== text) outcome.textContent = text;
    node.ariaBusy = String(turn.outcome === null);
  }
  return { node, draw };
}

/** What is said below the blocks of a turn. */
function ending({ outcome, text, blocks, silent, stopping }) {
  if (silent) return ["silent", `No answer for ${silent} s. The agent may still be at work; you can stop it.`];
  if (stopping && !outcome) return ["waiting", "Stopping"];
  if (!outcome) return blocks.length === 0 ? ["waiting", "Waiting for the agent"] : ["", ""];
  if (outcome !== "done") return [outcome, text || OUTCOMES[outcome]];
  return blocks.some(({ kind, late }) => !late && kind !== "thinking" && kind !== "info") ? ["", ""] : ["empty", OUTCOMES.empty];
}

const BLOCKS = {
  text: textView,
  thinking: (block) => {
    const body = element("div");
    const node = element("details", { className: "thinking", open: true }, element("summary", { textContent: "Thinking" }), body);
    return { node, draw: () => (body.textContent = block.text) };
  },
  call: callView,
};

/** A longer text is shown as it is, and only what is new is added: formatting it again with each delta would take too long. */
const LONGEST_FORMATTED = 20_000;

function textView(block) {
  const node = element("div", { className: "text" });
  let long = null;
  let shown = 0;
  function draw() {
    if (block.text.length <= LONGEST_FORMATTED) return node.replaceChildren(...markdown(block.text));
    if (!long) node.replaceChildren((long = element("pre")));
    long.append(block.text.slice(shown));
    shown = block.text.length;
  }
  return { node, draw };
}

const plain = ({ kind, text }) => ({ node: element("p", { className: kind, textContent: text }) });

/** A tool call as a card: what it would do, the user's decision, what came of it. */
function callView(block, answer) {
  const badge = element("span", { className: "badge" });
  const summary = element("span", { className: "summary" });
  const args = element("pre", { className: "args" });
  const output = element("div", { className: "output" });
  const reason = element("input", { placeholder: "Reason for a denial (optional)", ariaLabel: "Reason for a denial" });
  const button = (text, decision, properties = {}) =>
    element("button", { textContent: text, onclick: () => answer(block.id, decision, reason.value), ...properties });
  const answers = element(
    "div",
    { className: "answers" },
    button("Approve", "approve", { className: "primary", title: "A", ariaKeyShortcuts: "a" }),
    ...(block.dialog ? [] : [button("Always approve", "approve-all")]),
    button("Deny", "deny", { title: "D", ariaKeyShortcuts: "d" }),
    ...(block.dialog ? [] : [reason]),
  );
  const node = element("section", { className: "call", tabIndex: -1, ariaLabel: `Tool ${block.name}` });
  node.append(element("header", {}, element("strong", { textContent: block.name }), summary, badge), args, answers, output);
  // A and D decide while the card has the focus, but not while a reason is typed.
  node.onkeydown = (event) => {
    const decision = { a: "approve", d: "deny" }[event.key];
    if (!decision || event.target === reason || event.ctrlKey || event.metaKey || event.altKey || block.state !== "asking") return;
    event.preventDefault();
    answer(block.id, decision, reason.value);
  };

  function draw() {
    node.dataset.state = block.state;
    badge.textContent = STATES[block.state];
    summary.textContent = block.summary;
    args.hidden = block.args === null;
    args.textContent = readable(block.args);
    if (answers.hidden !== (block.state !== "asking")) answers.hidden = block.state !== "asking";
    output.replaceChildren(...outputOf(block));
  }
  return { node, draw };
}

/** The arguments of a call, one a line. */
function readable(args) {
  if (typeof args !== "object" || args === null) return JSON.stringify(args);
  const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  return Object.entries(args).map(([name, value]) => `${name}: ${text(value)}`).join("\n");
}

function outputOf({ format, output }) {
  if (!output) return [];
  if (format === "image") return [element("img", { src: `data:image/png;base64,${output}`, alt: "Image from the tool" })];
  if (format !== "diff") return [element("pre", { textContent: output })];
  const classes = { "+": "add", "-": "remove" };
  return [element("pre", {}, ...output.split("\n").map((line) => element("span", { className: classes[line[0]] ?? "", textContent: `${line}\n` })))];
}
