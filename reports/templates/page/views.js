// The views with their rows: causes, scenarios, clauses, and the comparison of several agents.

/** A cause belongs to the first group that has it. With several agents it is known only if the baselines of all know it. */
const CAUSE_GROUPS = [
  { title: "Of the other side, not counted", has: (parts) => parts.every(({ cause, agent }) => !counts(agent, cause)) },
  { title: "Inconclusive: no cause to fix", has: (parts) => parts.every(({ cause, agent }) => agent.report.inconclusive?.includes(cause)) },
  { title: "Notes: allowed, and useful to know", has: (parts) => parts.every(({ cause }) => cause.level === "may") },
  { title: "Known, in the baseline", has: (parts) => parts.every(({ cause }) => cause.baseline) },
  { title: "To fix", has: () => true },
];

const ENTRIES = ENTRY === "transcript" ? "Transcripts" : "Scenarios";

/** A titled group of rows; its title counts the rows that the filter leaves. */
const group = (title, rows, attributes = {}) => {
  const number = el("span", { class: "dim" });
  const body = el("div", { class: "rows" }, rows.map((row) => row.node));
  const section = el("section", { class: "group", ...attributes }, el("h3", {}, title, " ", number), body);
  return { section, number, rows };
};

const grouped = (rows, key) => {
  const groups = new Map();
  for (const row of rows) {
    const name = key(row);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(row);
  }
  return groups;
};

const causesView = () => {
  for (const row of causes) row.node = causeRow(row);
  const partsOf = (row) => row.by.flatMap((cause, n) => (cause ? [{ cause, agent: agents[n] }] : []));
  const rowsByGroup = grouped(causes, (row) => CAUSE_GROUPS.find(({ has }) => has(partsOf(row))).title);
  const titles = CAUSE_GROUPS.map(({ title }) => title).reverse().filter((title) => rowsByGroup.has(title));
  return {
    groups: titles.map((title) => group(title, rowsByGroup.get(title))),
    unfiltered: agents.map(withoutResult),
    empty: "No causes: nothing was found.",
  };
};

/** The scenarios without a result, by the reason. */
const withoutResult = ({ name, report }) => {
  const items = (report.without_result ?? []).map(({ verdict, reason, scenarios }) => {
    const word = verdict.replaceAll("_", " ");
    return lazyDetails({ class: "more" }, [pill(word), ` ${count(scenarios.length, ENTRY)}: `, reasonText(reason)], () => scenarioLinks(scenarios));
  });
  return items.length ? el("section", { class: "group" }, el("h3", {}, `Without a result${name ? `: ${name}` : ""}`), items) : "";
};

const scenariosView = () => {
  for (const row of scenarios) row.node = scenarioRow(row);
  const folder = (row) => row.id.slice(0, Math.max(row.id.lastIndexOf("/"), 0));
  const groups = [...grouped(scenarios, folder)].map(([name, rows]) => group(name || ENTRIES, rows));
  const columns = several && el("p", { class: "columns dim", "aria-hidden": "true" }, agents.map(({ name }) => el("span", {}, name)), el("span", {}, "scenario"));
  return { before: columns, groups, empty: "No scenarios." };
};

const clausesView = () => {
  const area = (row) => row.id.split(".").slice(0, 2).join(".");
  for (const row of clauses) row.node = clauseRow(row);
  const groups = [...grouped(clauses, area)].map(([name, rows]) => {
    const made = group(name, rows);
    const table = el("table", {}, several ? el("thead", {}, el("tr", {}, agents.map(({ name }) => el("th", { scope: "col" }, name)), el("th", { scope: "col" }, "clause"), el("th", { scope: "col" }, "text"))) : "", el("tbody", {}, rows.map((row) => row.node)));
    made.section.querySelector(".rows").replaceChildren(table);
    return made;
  });
  return { class: "clauses", before: clauseMap(groups), groups, empty: "The report names no clauses." };
};

/** The matrix: a cell for each clause and agent, in groups. The tables below say the same in words. */
const clauseMap = (groups) => {
  const cell = (row, n) => {
    const status = row.by[n]?.status ?? "not there";
    const node = el("a", { class: `cell ${className(status)}`, href: `#clause:${encodeURI(row.id)}`, tabindex: "-1", title: visible(`${row.id}: ${status}`) }, MARKS[status] ?? "");
    (row.cells ??= []).push(node);
    return node;
  };
  const line = (rows, name) => el("div", { class: "map-group" }, el("span", { class: "map-name" }, name),
    agents.map((agent, n) => el("div", { class: "cells" }, several ? el("span", { class: "map-agent dim" }, agent.name) : "", rows.map((row) => cell(row, n)))));
  const statuses = new Map();
  for (const { clauses } of agents) for (const { status } of Object.values(clauses)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const legend = [...statuses].map(([status, number]) =>
    el("button", { type: "button", "data-status": status, "aria-pressed": "false", title: "Show the clauses with this status", click: () => setFilter({ status: filter.status === status ? "" : status }) },
      el("span", { class: `cell ${className(status)}`, "aria-hidden": "true" }, MARKS[status] ?? ""), `${number} ${status}`));
  return el("div", { class: "map" },
    el("div", { class: "legend", role: "group", "aria-label": "Filter by status" }, legend),
    el("div", { class: "map-groups", "aria-hidden": "true" }, groups.map(({ rows, name }) => line(rows, rows[0].id.split(".").slice(1, 2).join(".")))));
};

const comparisonView = () => {
  const facts = [
    ["command", ({ report }) => el("code", {}, (report.agent ?? []).join(" "))],
    ["dialect", ({ report }) => report.dialect.join(", ")],
    ["clauses exercised", ({ report: { coverage } }) => `${coverage.clauses_exercised.length} of ${coverage.clauses_exercised.length + coverage.clauses_not_exercised.length}`],
    ["duration", ({ report }) => duration(report.duration_ms * 1000)],
    ["known findings", ({ report }) => report.summary.known],
    ["network isolation", ({ report }) => report.network?.isolation ?? "–"],
    ["judged by", ({ report }) => `${report.tool.name} ${report.tool.version}`],
    ["skipped", (agent) => el("ul", {}, Object.entries(agent.skipped).map(([reason, number]) => el("li", {}, `${number}: ${reason}`)))],
  ];
  const cell = (cell) => (cell ? el("td", {}, cell.passed ? el("span", { class: "pass" }, `${cell.passed} pass`) : "", cell.found ? el("span", { class: "warn" }, `${cell.found} with findings`) : "", cell.skipped ? el("span", { class: "dim" }, `${cell.skipped} skipped`) : "") : el("td", { class: "dim" }, "–"));
  const head = el("thead", {}, el("tr", {}, el("td", {}, el("span", { class: "unseen" }, "of")), agents.map(({ name }) => el("th", { scope: "col" }, name))));
  const row = (name, cells) => el("tr", {}, el("th", { scope: "row" }, name), cells);
  return { groups: [], before: el("div", { class: "comparison", role: "group", tabindex: "0", "aria-label": "Agents side by side", style: `--agents: ${agents.length}` },
    el("table", {}, head, el("tbody", {}, facts.map(([name, fact]) => row(name, agents.map((agent) => el("td", {}, fact(agent))))))),
    el("h3", {}, "Scenarios by folder"),
    el("table", {}, head.cloneNode(true), el("tbody", {}, page.groups.map(({ name, cells }) => row(name, cells.map(cell)))))) };
};

const VIEWS = {
  ...(several ? { agents: { title: "Agents", make: comparisonView, rows: [] } } : {}),
  causes: { title: "Causes", make: causesView, rows: causes },
  scenarios: { title: ENTRIES, make: scenariosView, rows: scenarios },
  clauses: { title: "Clauses", make: clausesView, rows: clauses },
};
