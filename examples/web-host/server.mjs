// Starts the host: `node server.mjs [AGENT [ARGS...]]`. PORT, PROTOCOL and WORKSPACE are read from the environment.
import { problemOf } from "./src/agent-process.mjs";
import { createHost } from "./src/http.mjs";
import { PROTOCOLS } from "./src/protocols/index.mjs";

const { PORT = "8100", PROTOCOL = "aionrs", WORKSPACE = process.cwd() } = process.env;
const args = process.argv.slice(2);
const agent = args.length > 0 ? args : [PROTOCOL];
const Protocol = PROTOCOLS[PROTOCOL];
if (!Protocol) {
  console.error(`PROTOCOL is ${PROTOCOL}; it must be one of ${Object.keys(PROTOCOLS).join(", ")}`);
  process.exit(2);
}

const host = createHost({ agent, Protocol, cwd: WORKSPACE });
const address = await host.listen(Number(PORT)).catch((error) => {
  console.error(`cannot listen on port ${PORT}: ${error.message}`);
  process.exit(2);
});
console.log(`${address} talks to ${agent.join(" ")}`);
const problem = problemOf(agent[0], WORKSPACE);
if (problem) console.error(`The agent cannot be started: ${problem}. To choose another: WORKSPACE=FOLDER npm start -- PROGRAM`);

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, async () => {
    await host.close();
    process.exit(0);
  });
}
