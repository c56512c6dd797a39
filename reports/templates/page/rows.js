// The rows of the three views: causes, scenarios and clauses. The content of a row is made when it is opened.

const pill = (word, kind = word) => el("span", { class: `pill ${className(kind)}` }, word);
const mark = (word) => el("span", { class: `mark ${className(word)}`, "aria-hidden": "true" }, MARKS[word] ?? "·");
const link = (kind, id, text = id) => el("a", { href: `#${kind}:${encodeURI(id)}` }, text);
const nameOfAgent = (n) => agents[n].name;

const causeLink = (row) => link("cause", some(row).id, marked(some(row).message));

/** What the reader can do about scenarios without a result, by the reason. */
const WAYS_OUT = { "smoke failed": "the first scenario failed, so these were not played; fix its causes, or play them anyway with `--keep-going`" };
const reasonText = (reason) => marked(WAYS_OUT[reason] ?? reason);

const term = (name, ...values) => values.map((value, n) => [el("dt", {}, n === 0 ? name : "or"), el("dd", {}, value)]);

const clauseQuotes = (ids) => ids.map((id) => {
  const clause = clauseText(id);
  return el("blockquote", { class: "words" },
    el("span", { class: "dim" }, link("clause", id), clause ? `, section ${clause.section}, ${clause.strength}` : ""),
    clause ? el("span", {}, marked(clause.text)) : "");
});

const baselineNote = (mark) =>
  mark && el("p", {}, pill(mark.kind, "known"), " in the baseline: ", marked(mark.reason || "no reason given yet"));

/** What was expected is a frame or words of conform, which may have a name between backticks. */
const expectation = (text) => (text.includes("`") ? marked(text) : el("code", {}, text));

/** The session and the part of it, or of the scenario, that a finding belongs to, in words after the number of its frame. */
const place = ({ session, part }) => {
  const values = part?.slice?.map(({ name, value }) => `${name} ${value}`) ?? [];
  const step = part?.step && `step ${part.step.number}, line ${part.step.line}`;
  const model = part?.model === undefined ? "" : `model${part.model}`;
  const words = [session ? `session ${session}` : "", ...values, step, model, part?.file];
  return words.filter(Boolean).map((one) => `, ${one}`).join("");
};

/** The text of a finding, without its frames, then more facts. */
const findingFacts = (finding, ...more) => [
  clauseQuotes(finding.clauses ?? []),
  el("dl", { class: "words" },
    term("expected", ...(finding.expected ?? []).map(expectation)),
    actual(finding) === undefined ? "" : term("got", el("code", {}, actual(finding))),
    finding.origin ? term("where", `frame ${finding.at}${place(finding.origin)}`) : "",
    finding.advice ? term("what to do", marked(finding.advice)) : "",
    finding.rerun ? term("rerun", copyable(finding.rerun)) : "",
    more),
];

/** The diagrams of findings that may be of several sessions. */
const diagrams = (excerpt, findings) => {
  const { frames, findings: own, others } = sessionFrames(excerpt ?? [], findings);
  return [sequence(frames, own), others.map((finding) => sequence(finding.evidence ?? [], [finding]))];
};

/** A heading in the content of a row; with several agents it is below the agent's name. */
const subheading = (...content) => el(several ? "h5" : "h4", {}, content);

/** The part of a row that concerns one agent, under its name where there are several. */
const perAgent = (row, content) => row.by.map((part, n) => {
  if (part === undefined) return null;
  if (!several) return content(part, n);
  return el("section", { class: "agent" }, el("h4", {}, nameOfAgent(n)), content(part, n));
});

const stderrLines = (lines) =>
  lines?.length ? [subheading("Last lines of stderr"), el("pre", { class: "log" }, lines.flatMap((line) => [line, el("br")]))] : "";

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

/** The word as a shell reads it. */
const quoted = (word) => (/^[-\w./@:=,+%{}]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

const explain = (report, cause) => {
  const judged = report.dialect.length === 1 ? report.dialect : report.dialect.filter((id) => cause.example.scenario.startsWith(`${id}/`));
  const folder = report.dialect_dir === undefined ? [] : [`--dialect-dir ${quoted(report.dialect_dir)}`];
  return ["conform explain", ...folder, ...judged.map((id) => `--dialect ${id}`), cause.rule].join(" ");
};

const causeBody = (cause, n) => {
  const { report } = agents[n];
  const scenario = report.scenarios.find((one) => one.id === cause.example.scenario);
  const example = { ...cause, ...cause.example, evidence: cause.example.frames };
  return [
    findingFacts(example, term("explain", copyable(explain(report, cause)))),
    subheading("Example: ", link("scenario", nameOf(cause.example.scenario), cause.example.scenario)),
    scenario?.name && el("p", { class: "dim" }, marked(scenario.name)),
    diagrams(scenario?.excerpt, [example]),
    stderrLines(cause.example.stderr),
    report.rules?.[cause.rule] && [subheading("What the rule requires"), el("div", { class: "words" }, paragraphs(report.rules[cause.rule]))],
    subheading(`In ${count(cause.scenarios.length, ENTRY)}`),
    scenarioLinks(cause.scenarios),
    !several && el("p", {}, link("cause", cause.id, "Link to this cause")),
  ];
};

/** In how many of the scenarios that were played a cause is. */
const extentOf = (cause, report) => {
  const own = cause.scenarios.length;
  const played = report.scenarios.filter(({ verdict }) => verdict !== "skipped").length;
  if (own === played) return own === 1 ? `in 1 ${ENTRY}` : `in all ${count(own, ENTRY)}`;
  return `in ${own} of ${count(played, ENTRY)}`;
};

const causeExtent = (cause) => {
  const number = cause.echoes ?? 0;
  const echoes = number > 0 ? `; ${count(number, "other finding")} ${number === 1 ? "follows" : "follow"} from it` : "";
  return `${extentOf(cause, agents[0].report)}${echoes}`;
};

const causeRow = (row) => {
  const cause = some(row);
  const extent = several
    ? row.by.map((part, n) => part && el("span", { class: "extent" }, `${nameOfAgent(n)}: ${count(part.scenarios.length, ENTRY)}`))
    : el("span", { class: "extent" }, causeExtent(cause));
  return lazyDetails({ class: "row cause", id: `cause:${row.id}` }, [
    pill(cause.level),
    el("span", { class: "what" },
      el("span", { class: "message words" }, marked(cause.message)),
      el("span", { class: "meta" }, extent, el("code", {}, cause.rule), (cause.clauses ?? []).map((id) => el("span", {}, id)),
        row.by.some((part) => part?.flaky) && pill("flaky", "known")),
      row.by.map((part) => part?.baseline?.reason && el("span", { class: "meta words" }, el("span", {}, marked(part.baseline.reason))))),
  ], () => perAgent(row, (part, n) => [
    several && el("p", { class: "words" }, marked(part.message)),
    (several || !part.baseline?.reason) && baselineNote(part.baseline),
    causeBody(part, n),
  ]));
};

// Scenarios

const findingSection = (finding, agent) =>
  lazyDetails({ class: "finding" }, [
    pill(finding.level),
    el("span", { class: "what" },
      el("span", { class: "message words" }, marked(finding.message)),
      el("span", { class: "meta" },
        el("code", {}, finding.rule), el("span", {}, `frame ${finding.at}`),
        finding.baseline && pill(finding.baseline.kind, "known"),
        !counts(agent, finding) && el("span", {}, `the ${finding.blame}'s, not counted`),
        finding.follows_from && el("span", {}, "follows from an earlier finding"))),
  ], () => [
    baselineNote(finding.baseline),
    finding.cause && causesById.has(finding.cause) && el("p", {}, "Cause: ", causeLink(causesById.get(finding.cause))),
    findingFacts(finding),
  ]);

const scenarioBody = (scenario, n) => {
  const shown = scenario.findings;
  const sections = shown.map((finding) => findingSection(finding, agents[n]));
  if (sections.length === 1) {
    sections[0].open = true;
    sections[0].fill();
  }
  return [
    scenario.name && el("p", { class: "dim" }, marked(scenario.name)),
    scenario.reason && el("p", {}, reasonText(scenario.reason)),
    sections,
    scenario.findings_dropped > 0 && el("p", { class: "dim" }, `${count(scenario.findings_dropped, "more finding")} of these rules, not listed`),
    diagrams(scenario.excerpt, shown),
    (scenario.tries ?? []).map((one, index) => [
      subheading(`Try ${index + 1}: ${one.verdict.replaceAll("_", " ")}${one.reason ? `, ${one.reason}` : ""}`),
      one.findings.map((finding) => [findingSection(finding, agents[n]), diagrams([], [finding])]),
    ]),
    stderrLines(scenario.stderr),
    el("p", { class: "dim" },
      `${count(scenario.frames ?? 0, "frame")} in ${duration(scenario.duration_ms * 1000)}`,
      scenario.file ? [", scenario ", el("code", {}, scenario.file)] : "",
      scenario.transcript ? [", transcript ", el("code", {}, scenario.transcript)] : ""),
    el("p", {}, link("scenario", nameOf(scenario.id), `Link to this ${ENTRY}`)),
  ];
};

/** The reason or the worst finding of a scenario; a finding that follows from another one says less. */
const gist = (scenario) => {
  const rank = (finding) => LEVELS.indexOf(finding.level) + (finding.follows_from ? LEVELS.length : 0);
  const worst = scenario.findings.toSorted((a, b) => rank(a) - rank(b))[0];
  return scenario.reason ? reasonText(scenario.reason) : marked(worst?.message ?? "");
};

const numberOfFindings = ({ findings }) => {
  const known = findings.filter((finding) => finding.baseline).length;
  if (findings.length === 0) return "";
  return known === findings.length ? el("span", { class: "dim" }, `${known} known`) : `${findings.length} found`;
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
    several ? "" : el("span", { class: "gist words dim" }, gist(scenario)),
    several ? "" : el("span", { class: "n" }, numberOfFindings(scenario)),
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
    el("td", { class: "words" }, marked(clause?.text ?? ""),
      found.length ? el("ul", { class: "links" }, found.map((cause) => el("li", {}, pill(some(cause).level), " ", causeLink(cause)))) : ""));
};
