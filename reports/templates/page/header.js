// The top of the page: the result of each agent in a headline, as chips that filter, and in facts.

const ORDER = ["failed", "broken", "inconclusive", "warned", "flaky", "not_exercised", "passed", "skipped"];

/** The causes of a report that somebody has to fix or to look at. */
const newCauses = (agent) =>
  (agent.report.causes ?? []).filter((cause) => counts(agent, cause) && !cause.baseline && cause.level !== "may");

/** The result in a few words, how bad it is, and what to do next. */
const headline = (agent) => {
  const { report } = agent;
  const found = newCauses(agent);
  const must = found.filter((cause) => cause.level === "must" && !cause.flaky);
  const warnings = found.length - must.length;
  const open = ["broken", "inconclusive", "not_exercised"].reduce((sum, name) => sum + report.summary[name], 0);
  if (must.length > 0) {
    const others = warnings > 0 ? ` and ${count(warnings, "warning")}` : "";
    const where = extentOf(found[0], report);
    const first = found.length > 1 ? `The first is ${where}: fix it, and run again.` : `It is ${where}.`;
    return ["bad", `${count(must.length, "cause")} to fix${others}`, first];
  }
  const known = count((report.causes ?? []).filter((cause) => cause.baseline).length, "known cause");
  const rest = known.startsWith("0 ") ? "" : `${known} in the baseline`;
  if (report.stale?.length) return ["bad", `${count(report.stale.length, "baseline entry", "baseline entries")} to remove`, rest];
  if (warnings > 0) return ["odd", count(warnings, "warning"), rest];
  if (open > 0) return ["odd", `No result for ${count(open, ENTRY)}`, "No cause was found in the others."];
  if (report.summary.passed + report.summary.flaky === 0) return ["odd", "Nothing was tested", ""];
  return ["good", rest ? "No new causes" : "No causes", rest];
};

const chip = (agent, name, n, onVerdict) => {
  const number = agent.report.summary[name];
  return number > 0 && el("button", { type: "button", class: `chip ${className(VERDICTS[n])}`, title: `Show the ${ENTRY}s with this verdict`, click: () => onVerdict(VERDICTS[n]) },
    el("b", {}, number), ` ${name.replaceAll("_", " ")}`);
};

const facts = ({ report }) => {
  const { clauses_exercised: met, clauses_not_exercised: missed } = report.coverage;
  return [
    `${count(report.scenarios.length, ENTRY)} in ${duration(report.duration_ms * 1000)}`,
    met.length + missed.length > 0 && `${met.length} of ${met.length + missed.length} testable clauses exercised`,
    report.summary.known > 0 && count(report.summary.known, "known finding"),
    report.network && `network isolation: ${report.network.isolation}`,
    `${report.tool.name} ${report.tool.version}`,
  ];
};

/** The result of one agent. With several agents, a table has the facts. */
const agentHeader = (agent, onVerdict) => {
  const { report } = agent;
  const [kind, result, next] = headline(agent);
  const bar = el("div", { class: "bar", "aria-hidden": "true" }, ORDER.map((name, n) => report.summary[name] > 0 && el("span", { class: className(VERDICTS[n]), style: `flex-grow: ${report.summary[name]}` })));
  const attempts = report.network?.attempts ?? [];
  return el("section", { class: "result", "aria-label": agent.name || "Result" },
    several ? el("h2", {}, agent.name) : "",
    el("p", { class: "headline" }, el("b", { class: kind }, result), several ? "" : el("span", { class: "dim" }, next)),
    bar,
    el("p", { class: "chips" }, ORDER.map((name, n) => chip(agent, name, n, onVerdict))),
    several ? "" : el("p", { class: "dim facts" }, facts(agent).map((fact) => fact && el("span", {}, fact))),
    attempts.length > 0 && el("p", { class: "stale" }, pill("network", "warn"), ` the agent tried to reach ${attempts.join(", ")}; its model is at {llm_url}`),
    (report.stale ?? []).map((entry) => el("p", { class: "stale" }, pill("stale", "fail"), " ", entry)));
};
