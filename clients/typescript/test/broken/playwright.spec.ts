// A test with a host that breaks the protocol. It must fail.
import { test } from "agent-conform/playwright";
import { Host } from "../support/host.js";

test("a host sends a mode that the protocol does not have", async ({ mockAgent }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1" });
  const host = new Host(agent);
  agent.defer(() => host.close());
  await host.event("ready");
  host.send({ type: "set_mode", mode: "auto" });
  await host.event("error");
});

test("a test whose host does nothing wrong fails", async ({ mockAgent }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1" });
  const host = new Host(agent);
  agent.defer(() => host.close());
  await host.event("ready");
  throw new Error("not as expected");
});
