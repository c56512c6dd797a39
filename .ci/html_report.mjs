// Opens HTML reports in Chromium and uses them as a person does: `node html_report.mjs CHROMIUM PASSING.html FAILING.html SIDE.html MANY.html PICTURE.png`:
// reports of a passing run, of a failing one, of several agents side by side, and of a few thousand scenarios with findings. Takes a picture of
// the failing one, as docs/report.png is. Prints what failed, and ends with 1.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.CI_NPM ?? process.cwd()}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [executablePath, passing, failing, side, many, picture] = process.argv.slice(2);
/** What opening a page and answering its first filter may cost, as a multiple of reading the same rows and data without a script. */
const MOST = { opened: 6, filtered: 5 };
let failures = 0;

const check = (what, passed, detail = "") => {
  console.log(`${passed ? "ok" : "FAILED"}: ${what} ${detail}`.trim());
  if (!passed) failures += 1;
};

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** Opens a page, and collects its errors and its requests to anything but itself. */
const open = async (file, hash = "", colorScheme = "light", width = 1280) => {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  /** How long the page has run so far, in milliseconds of its thread: other programs do not count. */
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "ThreadTime").value;
  };
  const url = pathToFileURL(file).href;
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().split("#")[0] !== url && problems.push(`request of ${request.url()}`));
  await page.goto(url + hash);
  await page.waitForSelector("html[data-ready]");
  return { page, problems, busy };
};

const embedded = (page) => page.evaluate(() => JSON.parse(document.getElementById("data").textContent).agents.map(({ report }) => report));
const shown = (page, view) => page.locator(`#view-${view} .row:not([hidden])`).count();
const word = (scenario) => (scenario.flaky ? "flaky" : scenario.verdict.replaceAll("_", " "));

/** What a browser needs to read the rows of a page and its data without its script, in milliseconds of the thread. */
const bareReading = async (file) => {
  const { page, busy } = await open(file, "#scenarios");
  await page.evaluate(() => (window.html = document.documentElement.outerHTML));
  const before = await busy();
  await page.evaluate(() => {
    const bare = new DOMParser().parseFromString(window.html, "text/html");
    return JSON.stringify(JSON.parse(bare.getElementById("data").textContent)).length;
  });
  const cost = (await busy()) - before;
  await page.close();
  return cost;
};

/** The rows and the counts of the page are those of the report. */
const contents = async (file) => {
  const { page, problems } = await open(file, "#scenarios");
  const [data] = await embedded(page);
  check("a row for each scenario", (await shown(page, "scenarios")) === data.scenarios.length, `(${data.scenarios.length})`);
  for (const name of ["passed", "failed", "warned"]) {
    const number = data.summary[name];
    const chips = await page.locator(".chip").allTextContents();
    check(`the page says that ${number} ${name}`, chips.includes(`${number} ${name}`) === number > 0);
  }
  await page.keyboard.press("1");
  check("a row for each cause", (await shown(page, "causes")) === data.causes.length, `(${data.causes.length})`);
  check("no errors, and nothing is loaded", problems.length === 0, problems.join("; "));
  await page.close();
};

/** A text, a verdict and a clause each leave the right rows. */
const filters = async (file) => {
  const { page, problems, busy } = await open(file, "#scenarios");
  const opened = await busy();
  const [data] = await embedded(page);
  const verdicts = [...new Set(data.scenarios.map(word))];
  for (const verdict of verdicts) {
    const expected = data.scenarios.filter((one) => word(one) === verdict).length;
    await page.selectOption("#filter-verdict", verdict);
    check(`the verdict ${verdict} leaves its rows`, (await shown(page, "scenarios")) === expected, `(${expected})`);
  }
  await page.selectOption("#filter-verdict", "");
  const target = data.scenarios.at(-1).id;
  await page.keyboard.press("Escape");
  await page.locator("body").press("/");
  check("/ focuses the filter", await page.evaluate(() => document.activeElement.id === "filter-text"));
  const before = await busy();
  await page.keyboard.type(target);
  await page.waitForFunction(() => document.getElementById("announce").textContent.includes(" of "));
  await page.waitForFunction(() => location.hash.includes("text="));
  const expected = data.scenarios.filter((one) => JSON.stringify(one).toLowerCase().includes(target.toLowerCase())).length;
  check("a text leaves the scenarios that have it", (await shown(page, "scenarios")) === expected, `(${expected})`);
  const filtered = (await busy()) - before;
  const bare = await bareReading(file);
  for (const [what, cost] of Object.entries({ opened, filtered })) {
    const times = `${data.scenarios.length} scenarios: ${Math.round(cost)} ms, ${(cost / bare).toFixed(1)} times the bare page`;
    check(`the page is ${what} at once`, cost < MOST[what] * bare, times);
  }
  await page.fill("#filter-text", "no report has this text");
  await page.waitForFunction(() => location.hash.includes("no+report"));
  check("a text that nothing has leaves a way back", await page.locator("#view-scenarios p button").isVisible());
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  check("no errors", problems.length === 0, problems.join("; "));
  await page.close();
};

const pictures = mkdtempSync(join(tmpdir(), "pictures-"));

/** How many bytes the picture of a page has that Chromium takes without a window. */
const pictured = (url) => {
  const picture = join(pictures, "page.png");
  execFileSync(executablePath, ["--headless", "--no-sandbox", "--window-size=1280,900", `--screenshot=${picture}`, url], { stdio: "ignore" });
  return readFileSync(picture).length;
};

/** A link to a scenario, a cause or a clause opens that row; the keys walk through rows. */
const anchorsAndKeys = async (file) => {
  const [{ scenarios, causes, clauses }] = await embedded((await open(file)).page);
  const broken = scenarios.findLast((one) => one.findings.length > 0) ?? scenarios[0];
  const targets = [["scenario", broken.id], ["cause", causes[0]?.id], ["clause", Object.keys(clauses).at(-1)]];
  for (const [kind, id] of targets.filter(([, id]) => id)) {
    const { page } = await open(file, `#${kind}:${encodeURI(id)}`);
    const row = page.locator(`[id="${kind}:${id}"]`);
    check(`#${kind}:ID shows the row and focuses it`, (await row.isVisible()) && (await row.evaluate((node) => node.contains(document.activeElement))), id);
    const [bytes, blank] = [page.url(), "about:blank"].map(pictured);
    check(`a picture of #${kind}:ID shows something`, bytes > 4 * blank, `(${bytes} bytes)`);
    if (kind === "cause") check("the row of a cause has a diagram", (await row.locator("xpath=..").locator(".sequence .frame").count()) > 0);
    await page.close();
  }
  const { page } = await open(file, "#scenarios");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  const first = page.locator("#view-scenarios .row").first();
  check("j and k walk through the rows", await first.evaluate((node) => node.contains(document.activeElement)));
  await page.keyboard.press("Enter");
  check("Enter opens a row", await first.evaluate((node) => node.open));
  await page.keyboard.press("Escape");
  check("Escape closes it", await first.evaluate((node) => !node.open));
  await page.close();
};

/** What is to be fixed first is open, with a command to copy. */
const firstCause = async (file) => {
  const { page } = await open(file);
  const [data] = await embedded(page);
  const first = page.locator("#view-causes .row").first();
  check("the headline counts the causes to fix", (await page.locator(".headline .bad").textContent()).includes("to fix"));
  const isOpen = await first.evaluate((node) => node.open);
  check("the first cause is open", isOpen);
  if (!isOpen) return page.close();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await first.locator(".copyable button").first().click();
  await page.waitForFunction(() => document.getElementById("announce").textContent !== "");
  check("its command can be copied", (await page.evaluate(() => navigator.clipboard.readText())) === data.causes[0].rerun);
  await page.close();
};

/** A clause that is not exercised can be found by its status. */
const statuses = async (file) => {
  const { page } = await open(file, "#clauses");
  const [{ status, number }] = await page.locator("[data-status]").evaluateAll((buttons) =>
    buttons.map((button) => ({ status: button.dataset.status, number: parseInt(button.textContent.match(/\d+/), 10) })));
  await page.click(`[data-status="${status}"]`);
  check(`the status ${status} leaves its clauses`, (await shown(page, "clauses")) === number, `(${number})`);
  await page.close();
};

/** Opens the first row with findings, and a frame in its diagram, so that there is something to look at. */
const openRow = (page) => page.evaluate(async () => {
  const rows = [...document.querySelectorAll("main > section:not([hidden]) .row")];
  const row = rows.find((one) => one.querySelector("summary :is(.fail, .must)")) ?? rows[0];
  if (!row?.fill) return;
  row.open = true;
  await new Promise((done) => setTimeout(done));
  row.querySelector(".frame > button")?.click();
});

/** No mistake in contrast, names, roles or order that keeps people out, and nothing wider than a telephone. */
const forEverybody = async (file, ...views) => {
  for (const scheme of ["light", "dark"]) {
    for (const view of views) {
      const wide = (await open(file, `#${view}`, scheme)).page;
      await openRow(wide);
      await wide.evaluate(axe);
      const { violations } = await wide.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      const named = serious.map(({ id, nodes }) => `${id} at ${nodes[0].target.join(" ")}`).join("; ");
      check(`axe finds nothing serious in the ${view}, ${scheme}`, serious.length === 0, named);
      await wide.close();
      const narrow = (await open(file, `#${view}`, scheme, 400)).page;
      await openRow(narrow);
      const over = await narrow.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`the ${view} fit into 400 pixels, ${scheme}`, over <= 0, `(${over} too many)`);
      await narrow.close();
    }
  }
};

/** The colours follow the system, and the switch changes them. */
const colours = async (file) => {
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await open(file);
  const dark = await open(file, "", "dark");
  const [one, other] = [await background(light.page), await background(dark.page)];
  check("light and dark differ", one !== other, `${one}, ${other}`);
  await dark.page.keyboard.press("t");
  check("the switch makes a dark page light", (await background(dark.page)) === one);
};

for (const file of [passing, many]) {
  console.log(file);
  await contents(file);
  await filters(file);
  await anchorsAndKeys(file);
  await colours(file);
}
await firstCause(failing);
await statuses(failing);
await forEverybody(failing, "causes", "scenarios", "clauses");
await forEverybody(side, "agents", "causes", "clauses");
await (await open(failing)).page.screenshot({ path: picture });
await browser.close();
rmSync(pictures, { recursive: true });
process.exit(failures === 0 ? 0 : 1);
