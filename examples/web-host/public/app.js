// The page: reads the events of its conversation, draws them, and sends what the user does.
import { apply, initialState, openTurn } from "./state.js";
import { element, turnView } from "./view.js";

const $ = (id) => document.getElementById(id);
const BADGES = { offline: "Connecting", starting: "Starting", ready: "Ready", working: "Working", asking: "Needs approval", silent: "No answer", ended: "Ended" };

const state = initialState();
const views = [];
let conversation;
let online = false;
let planned = false;
/** The end of the conversation stays in sight, unless the user scrolls away from it. */
let following = true;
let logged = 0;

/** Sends a request to the host; shows why if it is refused. */
async function request(action, body = {}) {
  const path = conversation ? `/api/conversations/${conversation}/${action}` : "/api/conversations";
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const result = await response.json();
  if (!response.ok) throw new Error(result.error);
  return result;
}

/** The page's conversation: the one in the address, so that a reload shows it again, or a new one. */
async function open() {
  conversation = location.hash.slice(1);
  if (!conversation) {
    ({ id: conversation } = await request());
    history.replaceState(null, "", `#${conversation}`);
  }
  const events = new EventSource(`/api/conversations/${conversation}/events`);
  events.onmessage = ({ data }) => {
    apply(state, JSON.parse(data));
    plan();
  };
  events.onopen = () => connected(true);
  events.onerror = () => (events.readyState === EventSource.CLOSED ? gone() : connected(false));
}

/** The browser reconnects by itself, and continues after the last event. */
function connected(value) {
  online = value;
  plan();
}

function gone() {
  Object.assign(state, { agent: "ended", how: "the host has closed this conversation" });
  conversation = null;
  plan();
}

/** Draws once for all events that arrive before the next frame. */
function plan() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(draw);
}

function draw() {
  planned = false;
  state.turns.forEach((turn, n) => {
    if (!views[n]) {
      views[n] = turnView(turn, answer);
      $("turns").append(views[n].node);
    }
    views[n].draw();
  });
  $("empty").hidden = state.turns.length > 0;
  drawState();
  drawLog();
  if (following) $("conversation").scrollTop = $("conversation").scrollHeight;
  showQuestion();
}

function drawState() {
  const turn = openTurn(state);
  const asking = turn?.blocks.some((block) => block.state === "asking");
  const working = turn?.silent ? "silent" : asking ? "asking" : "working";
  const name = !online && conversation ? "offline" : turn ? working : state.agent;
  $("state").dataset.state = name;
  $("state").textContent = BADGES[name];
  $("send").disabled = name !== "ready";
  $("send").hidden = Boolean(turn);
  $("stop").hidden = !turn;
  $("stop").disabled = Boolean(turn?.stopping);
  $("notice").hidden = state.agent !== "ended" && !state.error;
  $("notice").firstElementChild.textContent = [state.error, state.agent === "ended" && `The agent has ended (${state.how}).`].filter(Boolean).join("\n");
  $("restart").hidden = state.agent !== "ended";
}

function drawLog() {
  for (; logged < state.log.length; logged += 1) {
    const { source, text } = state.log[logged];
    const line = element("li", { className: source, textContent: text });
    line.dataset.source = source;
    $("log").firstElementChild.append(line);
  }
  $("log-button").textContent = logged > 0 ? `Log (${logged})` : "Log";
}

/** Moves the focus to a call that waits for an answer, and back to the prompt, unless the user is at something else. */
function showQuestion() {
  const card = document.querySelector('.call[data-state="asking"]');
  const { activeElement: active, body } = document;
  const answered = active.closest(".call") && active.closest(".call") !== card;
  if (card && (answered || active === body || (active === $("prompt") && active.value === ""))) card.focus();
  if (!card && (answered || active === body)) $("prompt").focus();
}

function report(error) {
  state.log.push({ source: "problem", text: error.message });
  plan();
}

const answer = (call, decision, reason) => request("answer", { call, decision, reason }).catch(report);
const stop = () => request("stop").catch(report);

$("composer").onsubmit = async (event) => {
  event.preventDefault();
  const text = $("prompt").value;
  if ($("send").disabled || text.trim() === "") return;
  $("prompt").value = "";
  await request("prompt", { text }).catch(report);
};
$("prompt").onkeydown = (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("composer").requestSubmit();
};
$("stop").onclick = stop;
$("restart").onclick = () => (conversation ? request("restart").catch(report) : location.replace("/"));
$("log-button").onclick = () => {
  $("log").hidden = !$("log").hidden;
  $("log-button").ariaExpanded = String(!$("log").hidden);
  if (!$("log").hidden) $("log").focus();
  plan();
};
$("conversation").onscroll = ({ target }) => {
  following = target.scrollHeight - target.scrollTop - target.clientHeight < 40;
};
document.onkeydown = (event) => {
  if (event.key === "Escape" && openTurn(state)) stop();
};

open().catch((error) => {
  conversation = null;
  Object.assign(state, { agent: "ended", how: error.message });
  plan();
});
