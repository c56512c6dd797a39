// Plays the same session with pi's own RpcClient twice, with the real pi and with mock-agent, and compares what the host gets:
// `node main.mjs PI_FOLDER CONFORM MOCK_AGENT PROTOCOL`. Prints each difference that differences.mjs does not explain; ends with 1 if
// there is one, if an explanation is out of date, or if no step calls a method of RpcClient. With KEEP=DIR, it writes both sessions there.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { playBoth } from "./agents.mjs";
import { compareSteps } from "./compare.mjs";
import { KNOWN } from "./differences.mjs";
import { methods } from "./host.mjs";
import { STEPS } from "./sequence.mjs";

const [pi, conform, mockAgent, protocol] = process.argv.slice(2);
const { RpcClient } = await import(pathToFileURL(resolve(pi, "dist/index.js")).href);
const { real, mock } = await playBoth({ pi, conform, mockAgent, protocol, RpcClient, steps: STEPS });
for (const [name, { steps }] of Object.entries({ real, mock })) {
  if (process.env.KEEP) writeFileSync(join(process.env.KEEP, `${name}.json`), JSON.stringify(steps, null, 1));
}

let failures = 0;
const fail = (text) => {
  console.log(`FAILED: ${text}`);
  failures += 1;
};
for (const failure of real.failures) fail(`with the real pi: ${failure}`);
for (const failure of mock.failures) fail(`with mock-agent: ${failure}`);
for (const method of methods(RpcClient)) {
  if (!real.called.has(method)) fail(`no step calls ${method}()`);
}

const known = KNOWN.filter((entry) => entry.protocols?.includes(protocol) ?? true);
const met = new Set();

/** The entry that explains a difference. */
const explanation = ({ step, at, path, real, mock }) =>
  known.find(
    (entry) =>
      (entry.step?.test(step) ?? true) && entry.at.test(at) && entry.path.test(path) && (entry.when?.(real, mock) ?? true),
  );

/** The differences that are not explained; those of the same member of anything are one group. */
const groups = new Map();
for (const difference of compareSteps(real.steps, mock.steps)) {
  const entry = explanation(difference);
  if (entry) {
    met.add(entry);
    continue;
  }
  const { at, path } = difference;
  const member = path === "" ? at : path.split("/").slice(-2).join("/");
  groups.set(member, [...(groups.get(member) ?? []), difference]);
}

const show = (value) => JSON.stringify(value)?.slice(0, 300) ?? "nothing";
for (const group of groups.values()) {
  const { step, at, path, real, mock } = group[0];
  fail(`${step}: ${at} ${path}, and ${group.length - 1} more\n  pi:         ${show(real)}\n  mock-agent: ${show(mock)}`);
}
for (const entry of known) {
  if (!entry.sometimes && !met.has(entry)) fail(`no longer differs: ${entry.at} ${entry.path} (${entry.reason})`);
}
const size = `${real.called.size} methods in ${real.steps.length} steps`;
console.log(`${protocol}: ${size}, ${met.size} known differences, ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
