// The rows of the three views: causes, scenarios and clauses. The content of a row is made when it is opened.

const pill = (word, kind = word) => el("span", { class: `pill ${className(kind)}` }, word);
const mark = (word) => el("span", { class: `mark ${className(word)}`, "aria-hidden": "true" }, MARKS[word] ?? "·");
const link = (kind, id, text = id) => el("a", { href: `#${kind}:${encodeURI(id)}` }, text);
const nameOfAgent = (n) => agents[n].name;

const term = (name, ...values) => values.map((value, n) => [el("dt", {}, n === 0 ? name : "or"), el("dd", {}, value)]);

const clauseQuotes = (ids) => ids.map((id) => {
  const clause = clauseText(id);
  return el("blockquote", {},
    el("span", { class: "dim" }, link("clause", id), clause ? `, section ${clause.section}, ${clause.strength}` : ""),
    clause ? el("span", {}, clause.text) : "");
});

const baselineNote = (mark) =>
  mark && el("p", { class: "known-note" }, pill(mark.kind, "known"), ` in the baseline: ${mark.reason || "no reason given yet"}`);

/** What a finding says, without its frames. */
const findingFacts = (finding) => [
  clauseQuotes(finding.clauses ?? []),
  el("dl", {},
    term("expected", ...(finding.expected ?? []).map((one) => el("code", {}, one))),
    actual(finding) === undefined ? "" : term("got", el("code", {}, actual(finding))),
    finding.key ? term("where", `frame ${finding.at}, ${finding.key}`) : "",
    finding.rerun ? term("rerun", copyable(finding.rerun)) : ""),
];

/** The diagrams of findings that may be of several sessions. */
const diagrams = (excerpt, findings) => {
  const { frames, findings: own, others } = sessionFrames(excerpt ?? [], findings);
  return [sequence(frames, own), others.map((finding) => sequence(finding.evidence ?? [], [finding]))];
};

/** The part of a row that concerns one agent, under its name where there are several. */
const perAgent = (row, content) => row.by.map((part, n) => {
  if (part === undefined) return null;
  if (!several) return content(part, n);
  return el("section", { class: "agent" }, el("h3", {}, nameOfAgent(n)), content(part, n));
});

const stderrLines = (lines) =>
  lines?.length ? [el("h4", {}, "Last lines of stderr"), el("pre", { class: "log" }, lines.flatMap((line) => [line, el("br")]))] : "";

// Causes

const FOLDED_SCENARIOS = 8;

const scenarioLinks = (ids) => {
  const item = (id) => {
    const row = scenariosById.get(nameOf(id));
    const verdict = row && verdictOf(some(row));
    return el("li", {}, verdict ? mark(verdict) : "", link("scenario", nameOf(id), several ? nameOf(id) : id));
  };
  const list = (ids) => el("ul", { class: "links" }, ids.map(item));
  if (ids.length <= FOLDED_SCENARIOS + 2) return list(ids);
  const rest = lazyDetails({ class: "more" }, `${count(ids.length - FOLDED_SCENARIOS, "more scenario")}`, () => list(ids.slice(FOLDED_SCENARIOS)));
  return [list(ids.slice(0, FOLDED_SCENARIOS)), rest];
};

const explain = (report, cause) => {
  const judged = report.dialect.length === 1 ? report.dialect : report.dialect.filter((id) => cause.example.scenario.startsWith(`${id}/`));
  return ["conform explain", ...judged.map((id) => `--dialect ${id}`), cause.rule].join(" ");
};

const causeBody = (cause, n) => {
  const { report } = agents[n];
  const scenario = report.scenarios.find((one) => one.id === cause.example.scenario);
  const example = { ...cause, ...cause.example, evidence: cause.example.frames };
  return [
    findingFacts(example),
    report.rules?.[cause.rule] && el("p", {}, el("b", {}, cause.rule), ": ", report.rules[cause.rule]),
    el("p", { class: "dim" }, "More about the rule: ", copyable(explain(report, cause))),
    el("h4", {}, "Example: ", link("scenario", nameOf(cause.example.scenario), cause.example.scenario)),
    diagrams(scenario?.excerpt, [example]),
    stderrLines(cause.example.stderr),
    el("h4", {}, `In ${count(cause.scenarios.length, "scenario")}`),
    scenarioLinks(cause.scenarios),
  ];
};

const causeExtent = (cause) => {
  const findings = `${count(cause.findings, "finding")}`;
  const echoes = cause.echoes ? `, ${count(cause.echoes, "echo", "echoes")}` : "";
  return `${count(cause.scenarios.length, "scenario")}, ${findings}${echoes}`;
};

const causeRow = (row) => {
  const cause = some(row);
  const extent = several
    ? row.by.map((part, n) => part && el("span", { class: "extent" }, `${nameOfAgent(n)}: ${count(part.scenarios.length, "scenario")}`))
    : el("span", { class: "extent" }, causeExtent(cause));
  return lazyDetails({ class: "row cause", id: `cause:${row.id}` }, [
    pill(cause.level),
    el("span", { class: "what" },
      el("span", { class: "message" }, cause.message),
      el("span", { class: "meta" }, el("code", {}, cause.rule), (cause.clauses ?? []).map((id) => el("span", {}, id)), extent,
        row.by.some((part) => part?.flaky) && pill("flaky", "known")),
      row.by.map((part) => part?.baseline?.reason && el("span", { class: "meta" }, part.baseline.reason))),
  ], () => perAgent(row, (part, n) => [several && el("p", {}, part.message), baselineNote(part.baseline), causeBody(part, n)]));
};

// Scenarios

const findingSection = (finding, agent) =>
  lazyDetails({ class: "finding" }, [
    pill(finding.level),
    el("span", { class: "what" },
      el("span", { class: "message" }, finding.message),
      el("span", { class: "meta" },
        el("code", {}, finding.rule), `frame ${finding.at}`,
        finding.baseline && pill(finding.baseline.kind, "known"),
        !counts(agent, finding) && `the ${finding.blame}'s, not counted`,
        finding.echo && "follows from an earlier finding")),
  ], () => [
    baselineNote(finding.baseline),
    finding.cause && causesById.has(finding.cause) && el("p", {}, "Cause: ", link("cause", some(causesById.get(finding.cause)).id, some(causesById.get(finding.cause)).message)),
    findingFacts(finding),
  ]);

const scenarioBody = (scenario, n) => {
  const shown = scenario.findings.length ? scenario.findings : [];
  const sections = shown.map((finding) => findingSection(finding, agents[n]));
  if (sections.length === 1) {
    sections[0].open = true;
    sections[0].fill();
  }
  return [
    scenario.name && el("p", { class: "dim" }, scenario.name),
    scenario.reason && el("p", {}, scenario.reason),
    sections,
    scenario.findings_dropped > 0 && el("p", { class: "dim" }, `${count(scenario.findings_dropped, "more finding")} of these rules, not listed`),
    diagrams(scenario.excerpt, shown),
    (scenario.tries ?? []).map((one, index) => [
      el("h4", {}, `Try ${index + 1}: ${one.verdict.replaceAll("_", " ")}${one.reason ? `, ${one.reason}` : ""}`),
      one.findings.map((finding) => [findingSection(finding, agents[n]), diagrams([], [finding])]),
    ]),
    stderrLines(scenario.stderr),
    el("p", { class: "dim" },
      `${count(scenario.frames ?? 0, "frame")} in ${duration(scenario.duration_ms * 1000)}`,
      scenario.file ? [", scenario ", el("code", {}, scenario.file)] : "",
      scenario.transcript ? [", transcript ", el("code", {}, scenario.transcript)] : ""),
  ];
};

const gist = (scenario) => {
  const worst = scenario.findings.toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level))[0];
  return scenario.reason || worst?.message || "";
};

const scenarioRow = (row) => {
  const cut = row.id.lastIndexOf("/") + 1;
  const scenario = some(row);
  const verdict = (part, n = 0) => {
    const agent = several && el("span", { class: "unseen" }, `${nameOfAgent(n)}: `);
    if (!part) return el("span", { class: "word" }, agent, el("span", { class: "dim" }, "not there"));
    return el("span", { class: `word ${className(verdictOf(part))}` }, agent, mark(verdictOf(part)), verdictOf(part));
  };
  return lazyDetails({ class: "row scenario", id: `scenario:${row.id}` }, [
    several ? row.by.map(verdict) : verdict(scenario),
    el("span", { class: "name" }, row.id.slice(cut)),
    several ? "" : el("span", { class: "gist dim" }, gist(scenario)),
    several ? "" : el("span", { class: "n" }, scenario.findings.length || ""),
    several ? "" : el("span", { class: "n dim" }, scenario.duration_ms ? duration(scenario.duration_ms * 1000) : ""),
  ], () => perAgent(row, scenarioBody));
};

// Clauses

const clauseRow = (row) => {
  const clause = clauseText(row.id);
  const found = causesByClause.get(row.id) ?? [];
  const status = (part) => (part
    ? el("td", { class: `word ${className(part.status)}` }, mark(part.status), part.status, part.entries ? el("span", { class: "dim" }, ` ${part.entries}×`) : "")
    : el("td", { class: "dim" }, "–"));
  return el("tr", { id: `clause:${row.id}`, tabindex: "-1", class: "row clause" },
    row.by.map(status),
    el("th", { scope: "row" }, el("a", { href: `#clause:${encodeURI(row.id)}` }, row.id), clause ? el("span", { class: "dim" }, ` section ${clause.section}, ${clause.strength}`) : ""),
    el("td", {}, clause?.text ?? "",
      found.length ? el("ul", { class: "links" }, found.map((cause) => el("li", {}, pill(some(cause).level), link("cause", cause.id, some(cause).message)))) : ""));
};
