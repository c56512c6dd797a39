// The data of the page: the reports as conform wrote them, and an index over them for filters and links.

const page = JSON.parse(document.getElementById("data").textContent);
const agents = page.agents;
const several = agents.length > 1;
/** What an entry of the reports is called. */
const ENTRY = agents.every(({ report }) => report.command === "check") ? "transcript" : "scenario";

const VERDICTS = ["fail", "broken", "inconclusive", "warn", "flaky", "not exercised", "pass", "skipped"];
const LEVELS = ["must", "should", "may"];
const MARKS = {
  fail: "✕", broken: "✕", inconclusive: "?", warn: "!", flaky: "~", "not exercised": "○", pass: "✓", skipped: "–",
  violated: "✕", warned: "!", known: "~", undecided: "?", kept: "✓", "not testable": "·",
};

const verdictOf = (scenario) => (scenario.flaky ? "flaky" : scenario.verdict.replaceAll("_", " "));
const withoutDialect = (id) => id.slice(id.indexOf("/") + 1);
/** Agents of different dialects share the names of scenarios, not their ids. */
const nameOf = (id) => (several ? withoutDialect(id) : id);
const counts = (agent, finding) => finding.blame === undefined || finding.blame === (agent.report.side ?? "agent");

const allFindings = (scenario) => [...scenario.findings, ...(scenario.tries ?? []).flatMap((one) => one.findings)];

/** Collects rows with the same id of all agents: `by[n]` is the part of agent n. */
const joined = (parts) => {
  const rows = new Map();
  parts.forEach((part, agent) => part.forEach(([id, value]) => {
    if (!rows.has(id)) rows.set(id, { id, by: agents.map(() => undefined) });
    rows.get(id).by[agent] = value;
  }));
  return [...rows.values()];
};

/** The causes of a report, and what was found only in inconclusive scenarios. */
const allCauses = ({ causes, inconclusive }) => [...(causes ?? []), ...(inconclusive ?? [])];
const causes = joined(agents.map(({ report }) => allCauses(report).map((cause) => [cause.id, cause])));
const scenarios = joined(agents.map(({ report }) => report.scenarios.map((one) => [nameOf(one.id), one])));
const clauses = joined(agents.map(({ clauses }) => Object.entries(clauses)));

if (several) scenarios.sort((a, b) => (a.id < b.id ? -1 : 1));

/** The first agent's part of a row that has one. */
const some = (row) => row.by.find((part) => part !== undefined);

const clauseText = (id) => {
  for (const { report } of agents) if (report.clauses?.[id]) return report.clauses[id];
  return undefined;
};

/** What filters ask of a row. */
const facets = () => ({ verdict: new Set(), level: new Set(), rule: new Set(), clause: new Set(), agent: new Set() });

const addFinding = (into, finding) => {
  into.level.add(finding.level);
  into.rule.add(finding.rule);
  for (const clause of finding.clauses ?? []) into.clause.add(clause);
};

const causesById = new Map(causes.map((row) => [row.id, row]));
for (const { report } of agents)
  for (const { id, joined } of allCauses(report))
    for (const other of joined ?? []) if (!causesById.has(other)) causesById.set(other, causesById.get(id));
const scenariosById = new Map(scenarios.map((row) => [row.id, row]));
const clausesById = new Map(clauses.map((row) => [row.id, row]));
for (const row of [...causes, ...scenarios, ...clauses]) row.facets = facets();

agents.forEach((agent, n) => {
  for (const scenario of agent.report.scenarios) {
    const row = scenariosById.get(nameOf(scenario.id));
    const verdict = verdictOf(scenario);
    row.facets.verdict.add(verdict);
    row.facets.agent.add(n);
    for (const finding of allFindings(scenario)) {
      addFinding(row.facets, finding);
      for (const id of finding.clauses ?? []) {
        const clause = clausesById.get(id);
        if (!clause) continue;
        clause.facets.verdict.add(verdict);
        clause.facets.rule.add(finding.rule);
        clause.facets.level.add(finding.level);
      }
    }
  }
  for (const cause of allCauses(agent.report)) {
    const row = causesById.get(cause.id);
    addFinding(row.facets, cause);
    row.facets.agent.add(n);
    for (const id of cause.scenarios) {
      const scenario = scenariosById.get(nameOf(id))?.by[n];
      if (scenario) row.facets.verdict.add(verdictOf(scenario));
    }
  }
  for (const id of Object.keys(agent.clauses)) {
    const row = clausesById.get(id);
    row.facets.clause.add(id);
    row.facets.agent.add(n);
    (row.facets.status ??= new Set()).add(agent.clauses[id].status);
  }
});

/** The causes that name a clause, for the links of the matrix. */
const causesByClause = new Map();
for (const row of causes) {
  for (const id of row.facets.clause) {
    if (!causesByClause.has(id)) causesByClause.set(id, []);
    causesByClause.get(id).push(row);
  }
}

/** The text that a row is searched in, made when it is first asked for. */
const searchText = (row) => {
  row.text ??= `${row.id}\n${JSON.stringify(row.by).replaceAll('\\"', '"')}\n${[...row.facets.clause].map((id) => clauseText(id)?.text ?? "").join("\n")}`.toLowerCase();
  return row.text;
};
