// Makes a report of many scenarios from a small one, by repeating its scenarios under other names:
// `node many_scenarios.mjs REPORT.json NUMBER > MANY.json`.
import { readFileSync } from "node:fs";

const [file, number] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, "utf8"));
const round = (n) => report.scenarios.map((scenario) => ({ ...scenario, id: n === 0 ? scenario.id : `${scenario.id}-${n}` }));
const rounds = Math.ceil(Number(number) / report.scenarios.length);
const scenarios = Array.from({ length: rounds }, (_, n) => round(n)).flat().slice(0, Number(number));
scenarios.sort((a, b) => (a.id < b.id ? -1 : 1));
process.stdout.write(JSON.stringify({ ...report, scenarios }));
