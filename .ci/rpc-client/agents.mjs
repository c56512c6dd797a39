// The two agents of the comparison, each in a HOME and a workspace of its own: the real pi, whose model is `conform provider`, and
// mock-agent with the same script.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Host } from "./host.mjs";
import { Normalizer } from "./normalize.mjs";

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), "script.yaml");
const SETTINGS = { retry: { baseDelayMs: 300, provider: { maxRetries: 0 } }, compaction: { keepRecentTokens: 5 } };

/** What the host does wrong in the steps: RpcClient cannot say how a prompt during a run is to be queued. */
const MISTAKES = ["must pi/busy-prompt"];

const model = (id, reasoning) => ({
  id, name: id, reasoning, input: ["text", "image"], contextWindow: 200_000, maxTokens: 8192,
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
});

const models = (url) => ({
  providers: {
    mocka: { baseUrl: url, apiKey: "sk-mock", api: "anthropic-messages", models: [model("mock-a", true)] },
    mocko: { baseUrl: `${url}/v1`, apiKey: "sk-mock", api: "openai-completions", models: [model("mock-o", false)] },
  },
});

/** Where an agent runs. */
class Place {
  constructor(root, name) {
    this.folder = join(root, name);
    for (const part of ["home", "agent", "workspace", "control"]) {
      this[part] = join(this.folder, part);
      mkdirSync(this[part], { recursive: true });
    }
  }

  /** Writes the settings of pi, with the model at this address. */
  configure(url) {
    writeFileSync(join(this.agent, "models.json"), JSON.stringify(models(url)));
    writeFileSync(join(this.agent, "settings.json"), JSON.stringify(SETTINGS));
  }

  /** Plays the steps with the agent at `cliPath`. Returns what happened, and what failed. */
  async play({ RpcClient, conform, steps }, { cliPath, env = {}, args = [] }) {
    const isolated = { HOME: this.home, PI_CODING_AGENT_DIR: this.agent, PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" };
    const options = { cliPath, cwd: this.workspace, env: { ...isolated, ...env }, provider: "mocka", model: "mock-a", args };
    const host = new Host(RpcClient, options, { conform, control: this.control });
    const failures = [];
    await host.play(steps).catch((error) => failures.push(error.message));
    const normalizer = new Normalizer([[this.workspace, "workspace"], [this.agent, "agent"], [this.home, "home"]]);
    return { steps: host.steps.map((step) => normalizer.value(step)), called: host.called, failures };
  }
}

/** The real pi in the folder of its package. */
const playReal = async (place, pi, setup, provider) => {
  const played = await place.play(setup, { cliPath: join(pi, "dist", "cli.js") });
  provider.kill();
  const [status] = await once(provider, "exit");
  if (status !== 0) played.failures.push(`requests to the model are not those of the script: conform provider ended with ${status}`);
  return played;
};

/** mock-agent, as `mock-agent install` puts it in place of pi. It judges the host. */
const playMock = async (place, mockAgent, setup, protocol) => {
  const bin = join(place.folder, "bin");
  const judged = join(place.folder, "judged.txt");
  execFileSync(mockAgent, ["install", bin]);
  const env = { MOCK_AGENT_CONTROL: place.control, MOCK_AGENT_PROTOCOL: protocol, MOCK_AGENT_JUDGE: judged };
  const played = await place.play(setup, { cliPath: join(bin, "pi.mjs"), env, args: ["--script", SCRIPT] });
  const mistakes = (readFileSync(judged, "utf8").match(/^ *(must|should) \S+/gm) ?? []).map((line) => line.trim());
  if (mistakes.join() !== MISTAKES.join()) played.failures.push(`mistakes of the host: ${mistakes.join()} instead of ${MISTAKES.join()}`);
  const atHome = readdirSync(place.home);
  if (atHome.length > 0) played.failures.push(`files in HOME: ${atHome}`);
  return played;
};

/** Plays the steps with both agents at the same time. Returns what happened with each. */
export const playBoth = async ({ pi, mockAgent, protocol, ...setup }) => {
  const root = mkdtempSync(join(tmpdir(), "rpc-client-"));
  const [real, mock] = [new Place(root, "real"), new Place(root, "mock")];
  const serve = ["provider", "--script", SCRIPT, "--control", real.control, "--journal", join(root, "journal.jsonl")];
  const provider = spawn(setup.conform, serve, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [url] = await once(createInterface({ input: provider.stdout }), "line");
    for (const place of [real, mock]) place.configure(url);
    const both = [playReal(real, pi, setup, provider), playMock(mock, mockAgent, setup, protocol)];
    return Object.fromEntries((await Promise.all(both)).map((played, index) => [["real", "mock"][index], played]));
  } finally {
    provider.kill();
    rmSync(root, { recursive: true, force: true });
  }
};
