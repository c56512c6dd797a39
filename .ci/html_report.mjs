// Opens HTML reports in Chromium and uses them as a person does: `node html_report.mjs CHROMIUM REPORT.html [MANY.html]`.
// The first report is of any run; MANY.html is a report of a few thousand scenarios. Prints what failed, and ends with 1.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(`${process.env.CI_NPM ?? process.cwd()}/`)("playwright-core");
const [executablePath, report, many] = process.argv.slice(2);
let failures = 0;

const check = (what, passed, detail = "") => {
  console.log(`${passed ? "ok" : "FAILED"}: ${what} ${detail}`.trim());
  if (!passed) failures += 1;
};

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** Opens a page, and collects its errors and its requests to anything but itself. */
const open = async (file, hash = "", colorScheme = "light") => {
  const page = await browser.newPage({ colorScheme });
  const url = pathToFileURL(file).href;
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().split("#")[0] !== url && problems.push(`request of ${request.url()}`));
  await page.goto(url + hash);
  await page.waitForSelector("html[data-ready]");
  const took = await page.evaluate(() => Math.round(performance.getEntriesByName("ready")[0].startTime));
  return { page, problems, took };
};

const embedded = (page) => page.evaluate(() => JSON.parse(document.getElementById("data").textContent).agents.map(({ report }) => report));
const shown = (page, view) => page.locator(`#view-${view} .row:not([hidden])`).count();
const word = (scenario) => (scenario.flaky ? "flaky" : scenario.verdict.replaceAll("_", " "));

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
  const { page, problems, took } = await open(file, "#scenarios");
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
  await page.keyboard.type(target);
  await page.waitForFunction(() => document.getElementById("announce").textContent.includes(" of "));
  await page.waitForFunction(() => location.hash.includes("text="));
  const expected = data.scenarios.filter((one) => JSON.stringify(one).toLowerCase().includes(target.toLowerCase())).length;
  check("a text leaves the scenarios that have it", (await shown(page, "scenarios")) === expected, `(${expected})`);
  const answer = await page.evaluate(() => {
    const began = performance.now();
    const select = document.getElementById("filter-verdict");
    select.value = [...select.options].at(-1).value;
    select.dispatchEvent(new Event("change"));
    document.body.offsetHeight;
    return Math.round(performance.now() - began);
  });
  console.log(`${data.scenarios.length} scenarios: open in ${took} ms, filtered in ${answer} ms`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  check("no errors", problems.length === 0, problems.join("; "));
  await page.close();
};

/** A link to a scenario, a cause or a clause opens that row; the keys walk through rows. */
const anchorsAndKeys = async (file) => {
  const [{ scenarios, causes, clauses }] = await embedded((await open(file)).page);
  const broken = scenarios.find((one) => one.findings.length > 0) ?? scenarios[0];
  const targets = [["scenario", broken.id], ["cause", causes[0]?.id], ["clause", Object.keys(clauses)[0]]];
  for (const [kind, id] of targets.filter(([, id]) => id)) {
    const { page } = await open(file, `#${kind}:${encodeURI(id)}`);
    const row = page.locator(`[id="${kind}:${id}"]`);
    check(`#${kind}:ID shows the row and focuses it`, (await row.isVisible()) && (await row.evaluate((node) => node.contains(document.activeElement))), id);
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

for (const file of [report, many].filter(Boolean)) {
  console.log(file);
  await contents(file);
  await filters(file);
  await anchorsAndKeys(file);
  await colours(file);
}
await browser.close();
process.exit(failures === 0 ? 0 : 1);
