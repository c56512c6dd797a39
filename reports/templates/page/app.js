// Puts the page together: filters, routes in the address, the keyboard and the colour scheme.

const FILTERS = ["text", "verdict", "level", "rule", "clause", "status", ...(several ? ["agent"] : [])];
const filter = Object.fromEntries(FILTERS.map((name) => [name, ""]));
const firstView = () => (several ? "agents" : causes.length ? "causes" : "scenarios");
let current;

const main = document.getElementById("content");
const controls = {};
const made = {};

// Filters

const options = (rows, facet) => [...new Set(rows.flatMap((row) => [...row.facets[facet]]))].sort();
const present = (order, rows, facet) => order.filter((one) => rows.some((row) => row.facets[facet].has(one)));

const select = (name, choices, labels = choices) =>
  (controls[name] = el("select", { id: `filter-${name}`, change: () => setFilter({ [name]: controls[name].value }) },
    el("option", { value: "" }, `any ${name}`),
    choices.map((choice, n) => el("option", { value: choice }, labels[n]))));

const filterBar = () => {
  let waiting;
  controls.text = el("input", {
    type: "search", id: "filter-text", placeholder: "Filter by text", "aria-keyshortcuts": "/",
    input: () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => setFilter({ text: controls.text.value }), 120);
    },
  });
  const agentChoices = agents.map((_, n) => String(n));
  const selects = [
    select("verdict", present(VERDICTS, scenarios, "verdict")),
    select("level", present(LEVELS, [...causes, ...scenarios], "level")),
    select("rule", options([...causes, ...scenarios], "rule")),
    select("clause", options([...causes, ...scenarios], "clause")),
    several ? select("agent", agentChoices, agents.map(({ name }) => name)) : "",
  ];
  controls.clear = el("button", { type: "button", class: "quiet", click: clearFilters, hidden: true }, "Clear filters");
  const labelled = (node) => node && el("label", {}, el("span", { class: "unseen" }, `Filter by ${node.id.slice(7)}`), node);
  return el("search", { class: "filters", "aria-label": "Filters" }, [controls.text, ...selects].map(labelled), controls.clear);
};

const matches = (row) =>
  FILTERS.every((name) => {
    if (!filter[name]) return true;
    if (name === "text") return searchText(row).includes(filter.text.toLowerCase());
    // Only clauses have a status.
    if (name === "status") return !row.facets.status || row.facets.status.has(filter.status);
    return row.facets[name].has(name === "agent" ? Number(filter.agent) : filter[name]);
  });

/** Shows the rows of a view that the filter leaves, and the numbers of all views. */
const applyFilter = () => {
  for (const [name, view] of Object.entries(VIEWS)) {
    let left = 0;
    for (const row of view.rows) {
      row.shown = matches(row);
      if (row.shown) left += 1;
    }
    const whole = view.rows.length;
    if (name !== "agents") controls[`tab-${name}`].querySelector(".n").textContent = left === whole ? `${whole}` : `${left} of ${whole}`;
    if (made[name]) showRows(made[name], left);
  }
  for (const name of FILTERS) if (controls[name] && controls[name].value !== filter[name]) controls[name].value = filter[name];
  for (const button of main.querySelectorAll("[data-status]")) button.setAttribute("aria-pressed", String(button.dataset.status === filter.status));
  controls.clear.hidden = !isFiltered();
};

const isFiltered = () => FILTERS.some((name) => filter[name]);

const showRows = (view, left) => {
  for (const { section, number, rows } of view.groups) {
    let shown = 0;
    for (const row of rows) {
      row.node.hidden = !row.shown;
      for (const cell of row.cells ?? []) cell.classList.toggle("faint", !row.shown);
      if (row.shown) shown += 1;
    }
    section.hidden = shown === 0;
    number.textContent = visible(shown === rows.length ? `${shown}` : `${shown} of ${rows.length}`);
  }
  if (view.groups.length || view.empty) {
    view.nothing.hidden = left > 0;
    view.nothing.replaceChildren(isFiltered() ? "Nothing matches the filters. " : view.empty ?? "");
    if (isFiltered()) view.nothing.append(el("button", { type: "button", class: "quiet", click: clearFilters }, "Clear filters"));
  }
  view.rest.hidden = isFiltered();
};

const setFilter = (changes) => {
  Object.assign(filter, changes);
  applyFilter();
  history.replaceState(null, "", route(current));
  const { rows } = VIEWS[current];
  announce(`${rows.filter((row) => row.shown).length} of ${rows.length} ${current} shown`);
};

const clearFilters = () => setFilter(Object.fromEntries(FILTERS.map((name) => [name, ""])));

// Routes: `#scenarios?verdict=fail` is a view with filters, `#scenario:ID` one row

const route = (view) => {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  return `#${view}${query.size ? `?${query}` : ""}`;
};

const KINDS = { cause: "causes", scenario: "scenarios", clause: "clauses" };

/** A link to a row. */
const ROW = new RegExp(`^(${Object.keys(KINDS).join("|")}):(.*)$`, "s");

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const follow = () => {
  const hash = location.hash.slice(1);
  const [, kind, id] = ROW.exec(decoded(hash)) ?? [];
  if (kind) {
    const view = KINDS[kind];
    const rows = { cause: causesById, scenario: scenariosById, clause: clausesById }[kind];
    const row = rows.get(id) ?? rows.get(withoutDialect(id));
    show(view);
    if (row) reveal(row);
    return;
  }
  const [name, query] = hash.split("?");
  for (const key of FILTERS) filter[key] = "";
  for (const [key, value] of new URLSearchParams(query ?? "")) if (FILTERS.includes(key)) filter[key] = value;
  show(name in VIEWS ? name : current ?? firstView());
  applyFilter();
};

const show = (name) => {
  current = name;
  if (!made[name]) {
    const view = VIEWS[name].make();
    view.nothing = el("p", { class: "dim", hidden: true });
    view.rest = el("div", {}, view.unfiltered ?? "");
    view.node = el("section", { id: `view-${name}`, class: view.class, "aria-labelledby": `tab-${name}` }, el("h2", { class: "unseen" }, VIEWS[name].title), view.before || "", view.nothing, view.groups.map(({ section }) => section), view.rest);
    made[name] = view;
    main.append(view.node);
    applyFilter();
  }
  for (const [other, view] of Object.entries(made)) view.node.hidden = other !== name;
  for (const other of Object.keys(VIEWS)) {
    if (other === name) controls[`tab-${other}`].setAttribute("aria-current", "page");
    else controls[`tab-${other}`].removeAttribute("aria-current");
  }
};

/** Opens a row, scrolls to it and focuses it. A filter that hides it is cleared. */
const reveal = (row) => {
  if (row.node.hidden) clearFiltersInPlace();
  if (row.node.fill) {
    row.node.fill();
    row.node.open = true;
  }
  row.node.scrollIntoView({ block: "start" });
  focusOf(row.node).focus({ preventScroll: true });
};

/** Opens what to fix first, so that its command and its frames are there at once. */
const openFirst = () => {
  const [first] = several ? [] : newCauses(agents[0]);
  if (!first || current !== "causes") return;
  const { node } = causesById.get(first.id);
  node.fill();
  node.open = true;
};

const clearFiltersInPlace = () => {
  for (const key of FILTERS) filter[key] = "";
  applyFilter();
};

// Keyboard

const focusOf = (node) => node.querySelector(":scope > summary") ?? node;

const move = (step) => {
  const nodes = [...(made[current]?.node.querySelectorAll(".row:not([hidden])") ?? [])].filter((node) => node.offsetParent !== null);
  if (nodes.length === 0) return;
  const at = nodes.findIndex((node) => node.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : nodes.length - 1) : Math.min(Math.max(at + step, 0), nodes.length - 1);
  focusOf(nodes[next]).focus();
  focusOf(nodes[next]).scrollIntoView({ block: "nearest" });
};

const close = () => {
  if (controls.help.open) return;
  const open = document.activeElement?.closest("details[open]") ?? document.activeElement?.closest(".row");
  if (document.activeElement === controls.text && !controls.text.value) document.activeElement.blur();
  else if (open?.open) {
    open.open = false;
    focusOf(open).focus();
  } else if (isFiltered()) clearFilters();
  else document.activeElement?.blur();
};

const KEYS = {
  j: ["Next row", () => move(1)],
  k: ["Previous row", () => move(-1)],
  Enter: ["Open or close the row; go to the cause of a clause", undefined],
  "/": ["Filter by text", () => controls.text.focus()],
  Escape: ["Close the row, then clear the filters", close],
  "1 2 3": ["Switch between the views", undefined],
  t: ["Switch between light and dark", () => switchTheme()],
  "?": ["These keys", () => controls.help.showModal()],
};

const onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape") return close();
  if (typing) return;
  // A clause has nothing to open: Enter follows it to its first cause.
  if (event.key === "Enter" && event.target.matches("tr.clause")) event.target.querySelector(".links a")?.click();
  const view = Object.keys(VIEWS)[Number(event.key) - 1];
  if (view) {
    location.hash = route(view);
    return;
  }
  const action = KEYS[event.key]?.[1];
  if (!action) return;
  event.preventDefault();
  action();
};

const helpDialog = () =>
  (controls.help = el("dialog", { "aria-label": "Keyboard" },
    el("h2", {}, "Keyboard"),
    el("dl", {}, Object.entries(KEYS).map(([key, [what]]) => [el("dt", {}, key.split(" ").map((one) => [el("kbd", {}, one), " "])), el("dd", {}, what)])),
    el("form", { method: "dialog" }, el("button", { class: "quiet" }, "Close"))));

// Colour scheme

const stored = () => {
  try {
    return localStorage.getItem("conform-theme");
  } catch {
    return null;
  }
};

const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

const setTheme = (theme) => {
  if (theme) document.documentElement.dataset.theme = theme;
  controls.theme.textContent = isDark() ? "☀ Light" : "☾ Dark";
};

const switchTheme = () => {
  setTheme(isDark() ? "light" : "dark");
  try {
    localStorage.setItem("conform-theme", document.documentElement.dataset.theme);
  } catch {
    // The choice lasts as long as the page where nothing can be stored.
  }
};

// The page

const navigation = () =>
  el("nav", { "aria-label": "Views" }, Object.entries(VIEWS).map(([name, { title }]) =>
    (controls[`tab-${name}`] = el("a", {
      id: `tab-${name}`, href: `#${name}`,
      click: (event) => {
        event.preventDefault();
        location.hash = route(name);
      },
    }, title, " ", el("span", { class: "n" })))));

const start = () => {
  const header = document.getElementById("top");
  controls.theme = el("button", { type: "button", class: "quiet", click: switchTheme });
  header.append(el("p", { class: "tools" }, controls.theme, el("button", { type: "button", class: "quiet", "aria-keyshortcuts": "?", click: () => controls.help.showModal() }, "Keys ?")));
  const onVerdict = (verdict) => {
    filter.verdict = filter.verdict === verdict ? "" : verdict;
    location.hash = route("scenarios");
  };
  const results = el("div", { class: "results" }, agents.map((agent) => agentHeader(agent, onVerdict)));
  main.before(results, el("div", { class: "bar-of-views" }, navigation(), filterBar()));
  document.body.append(helpDialog());
  setTheme(stored());
  document.addEventListener("keydown", onKey);
  document.documentElement.classList.toggle("several", several);
  document.documentElement.toggleAttribute("data-linked", ROW.test(decoded(location.hash.slice(1))));
  addEventListener("hashchange", follow);
  follow();
  if (!location.hash) openFirst();
  document.documentElement.dataset.ready = "";
  performance.mark("ready");
};

start();
