// A test with a host that breaks the protocol. It must fail.
import { test } from "node:test";
import { mockAgent } from "agent-conform/node-test";
import { Host } from "../support/host.js";

test("a host sends a mode that the protocol does not have", async (t) => {
  const agent = await mockAgent(t, { protocol: "aionrs@0.1" });
  const host = new Host(agent);
  agent.defer(() => host.close());
  await host.event("ready");
  host.send({ type: "set_mode", mode: "auto" });
  await host.event("error");
});
