// The sequence diagram of a session: host, agent and model as lanes, one row a frame, findings at their frames.

/** From which lane to which a frame goes, by its direction in the transcript; one lane alone is a note. */
const ARROWS = {
  to_agent: ["host", "agent"],
  from_agent: ["agent", "host"],
  llm_request: ["agent", "model"],
  llm_reply: ["model", "agent"],
  stdin_closed: ["host", "agent"],
  signal: ["host", "agent"],
};
const WHO = {
  to_agent: "host to agent",
  from_agent: "agent to host",
  llm_request: "agent to model",
  llm_reply: "model to agent",
  mcp_request: "agent to MCP server",
  stdin_closed: "host closes stdin",
  signal: "host signals agent",
  stderr: "stderr of the agent",
  end: "end of the agent",
};
/** How many frames before the first finding and after the last one are shown at once. */
const BEFORE = 12;
const AFTER = 4;
/** From how many similar frames in a row on they are folded. */
const SIMILAR = 3;
/** From which distance in time on a pause is shown, in microseconds. */
const PAUSE = 300_000;

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The name of a frame and the rest of its content, for its label. */
const label = (frame) => {
  const value = parsed(frame.text);
  if (!["from_agent", "to_agent"].includes(frame.dir)) return { name: frame.text, rest: "" };
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    const name = /"(?:type|method)"\s*:\s*"([^"]+)"/.exec(frame.text)?.[1];
    return name === undefined ? { name: frame.text, rest: "" } : { name, rest: frame.text };
  }
  const key = ["type", "method", "event", "kind"].find((key) => typeof value[key] === "string");
  const members = Object.entries(value).filter(([name]) => name !== key);
  const rest = members.map(([name, member]) => `${name}: ${typeof member === "string" ? member : JSON.stringify(member)}`);
  return { name: key === undefined ? "{ }" : value[key], rest: rest.join(", ") };
};

/** The frames of a session with those that its findings quote, in order. A finding of another session quotes other frames. */
const sessionFrames = (excerpt, findings) => {
  const frames = new Map(excerpt.map((frame) => [frame.frame, frame]));
  const own = [];
  for (const finding of findings) {
    const quoted = finding.evidence ?? [];
    const fits = quoted.every(({ frame, micros, dir }) => {
      const same = frames.get(frame);
      return same === undefined || (same.micros === micros && same.dir === dir);
    });
    if (!fits) continue;
    own.push(finding);
    for (const frame of quoted) if (!frames.has(frame.frame)) frames.set(frame.frame, frame);
  }
  const sorted = [...frames.values()].sort((a, b) => a.frame - b.frame);
  return { frames: sorted, findings: own, others: findings.filter((finding) => !own.includes(finding)) };
};

/** Rows of the diagram: single frames, runs of similar frames, and frames that the report does not have. */
const rowsOf = (frames, found) => {
  const rows = [];
  let last = 0;
  for (const frame of frames) {
    if (last > 0 && frame.frame > last + 1) rows.push({ gap: frame.frame - last - 1 });
    last = frame.frame;
    const { name } = label(frame);
    const previous = rows.at(-1);
    const similar = previous?.frames && previous.name === name && previous.dir === frame.dir && frame.dir !== "end";
    if (similar && !found.has(frame.frame) && !previous.frames.some((one) => found.has(one.frame))) previous.frames.push(frame);
    else rows.push({ name, dir: frame.dir, frames: [frame] });
  }
  return rows.flatMap((row) => (row.gap || row.frames.length >= SIMILAR ? [row] : row.frames.map((frame) => ({ ...row, frames: [frame] }))));
};

const raw = (frame) => {
  const value = parsed(frame.text);
  const text = value !== null && typeof value === "object" ? JSON.stringify(value, null, 2) : frame.text;
  const pre = el("pre", { class: "raw", role: "group", tabindex: "0", "aria-label": `frame ${frame.frame}` });
  pre.textContent = visible(text, true);
  return pre;
};

/** One frame as a row. A click shows its JSON. */
const frameRow = (frame, findings) => {
  const [from, to] = ARROWS[frame.dir] ?? ["agent"];
  const { name, rest } = label(frame);
  const here = findings.length > 0;
  const item = el("li", { class: `frame ${className(frame.dir)}${here ? " here" : ""}` });
  const button = el("button", {
    type: "button",
    "aria-expanded": "false",
    title: "Show the whole frame",
    click: () => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (open) item.querySelector(".raw").remove();
      else button.after(raw(frame));
    },
  },
  el("span", { class: "time" }, el("span", { class: "number" }, frame.frame), frame.micros ? duration(frame.micros) : ""),
  el("span", { class: "lanes" },
    el("span", { class: to ? `arrow ${from}-${to}` : "note" },
      el("span", { class: "unseen" }, `${WHO[frame.dir] ?? frame.dir}: `),
      el("span", { class: "label" }, el("b", {}, name), rest ? [" ", el("span", { class: "rest" }, rest)] : ""))));
  add(item, [button, findings.map(callout)]);
  return item;
};

const callout = (finding) =>
  el("p", { class: `callout words ${finding.level}` }, el("b", {}, finding.level), " ", marked(finding.message));

/** A row in place of hidden frames; a click shows them. */
const foldRow = (text, makeRows) => {
  const item = el("li", { class: "fold" });
  const button = el("button", { type: "button", click: () => item.replaceWith(...makeRows()) }, el("span", {}, text));
  item.append(button);
  return item;
};

const pauseRow = (micros) => el("li", { class: "pause" }, el("span", {}, `${duration(micros)} later`));

/** The diagram of a session, with findings at their frames. */
const sequence = (frames, findings) => {
  if (frames.length === 0) return null;
  const found = new Map();
  for (const finding of findings) {
    const at = frames.findLast((frame) => frame.frame <= finding.at)?.frame ?? frames[0].frame;
    found.set(at, [...(found.get(at) ?? []), finding]);
  }
  const draw = (rows) => rows.flatMap((row) => {
    if (row.gap) return [el("li", { class: "fold" }, el("span", {}, `${count(row.gap, "frame")} not in this report`))];
    const [first] = row.frames;
    if (row.frames.length === 1) return [frameRow(first, found.get(first.frame) ?? [])];
    const time = first.micros ? `, ${duration(first.micros)} to ${duration(row.frames.at(-1).micros)}` : "";
    return [foldRow([el("b", {}, row.name), ` × ${row.frames.length}${time}`], () => row.frames.map((frame) => frameRow(frame, [])))];
  });
  const withPauses = (rows) => {
    const items = [];
    let before;
    for (const row of rows) {
      const start = row.frames?.[0].micros;
      if (before !== undefined && start - before >= PAUSE) items.push(pauseRow(start - before));
      before = row.frames?.at(-1).micros;
      items.push(...draw([row]));
    }
    return items;
  };
  const rows = rowsOf(frames, found);
  const isFound = (row) => row.frames?.some((frame) => found.has(frame.frame));
  const first = Math.max(rows.findIndex(isFound), 0);
  const last = Math.max(rows.findLastIndex(isFound), 0);
  const [from, to] = [first > BEFORE + 2 ? first - BEFORE : 0, last + AFTER + 2 < rows.length ? last + AFTER + 1 : rows.length];
  const size = (part) => part.reduce((sum, row) => sum + (row.gap ?? row.frames.length), 0);
  const cut = (part, where) => (part.length ? [foldRow(`${count(size(part), "frame")} ${where}`, () => withPauses(part))] : []);
  const lanes = ["host", "agent", "model"].map((lane) => el("span", { class: lane }, lane));
  return el("figure", { class: "sequence" },
    el("figcaption", {}, el("span", { class: "time" }, "frame"), el("span", { class: "lanes" }, lanes)),
    el("ol", {},
      cut(rows.slice(0, from), "before"),
      withPauses(rows.slice(from, to)),
      cut(rows.slice(to), "after")));
};

/** The value that a finding is about: the one that it points at, otherwise the whole frame. */
const actual = (finding) => {
  const frame = finding.evidence?.find((one) => one.here);
  if (!frame) return undefined;
  const path = (finding.pointer ?? "").split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const value = finding.pointer ? path.reduce((inner, part) => inner?.[part], parsed(frame.text)) : undefined;
  return value === undefined ? frame.text : `${JSON.stringify(value)} at ${finding.pointer}`;
};
