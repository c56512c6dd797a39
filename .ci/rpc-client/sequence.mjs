// What a host does with pi in one session: a list of steps, each a name and calls of RpcClient. Together they call every method of the
// client. Each step ends when the agent is idle.
import { existsSync } from "node:fs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Waits until the agent has run a prompt to its end. */
const prompted = async (host, ...prompt) => {
  const idle = host.idle();
  await host.call("prompt", ...prompt);
  await idle;
};

/** Sends a prompt and holds its reply at a gate, does something, and waits for the end of the run. */
const atGate = async (host, gate, text, act) => {
  const idle = host.idle();
  await host.call("prompt", text);
  await host.control("wait-gate", gate);
  await act(() => host.control("release", gate));
  await idle;
};

const everything = async (host) => {
  const methods = ["getState", "getMessages", "getLastAssistantText", "getSessionStats", "getForkMessages", "getEntries", "getTree"];
  for (const method of methods) await host.call(method);
};

const fileThere = async (path) => {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
};

export const STEPS = [
  ["a fresh session", async (host) => {
    await everything(host);
    await host.call("getCommands");
  }],
  ["models and thinking levels", async (host) => {
    await host.call("getAvailableModels");
    await host.call("getAvailableThinkingLevels");
    await host.call("setThinkingLevel", "high");
    await host.call("cycleThinkingLevel");
    await host.call("setModel", "mocko", "mock-o");
    await host.call("cycleThinkingLevel");
    await host.call("setModel", "mocka", "nothing");
    await host.call("cycleModel");
    await host.call("cycleModel");
    await host.call("setModel", "mocka", "mock-a");
    await host.call("setThinkingLevel", "low");
    await host.call("getState");
  }],
  ["a prompt", async (host) => {
    await prompted(host, "hello");
    await everything(host);
  }],
  ["promptAndWait, with an image", async (host) => {
    await host.call("promptAndWait", "what is in it", [{ type: "image", data: PIXEL, mimeType: "image/png" }]);
    await host.call("getLastAssistantText");
  }],
  ["tools", async (host) => {
    await prompted(host, "make a file");
    await everything(host);
  }],
  ["an abort while text is streaming", async (host) => {
    await atGate(host, "half", "begin", async () => {
      await host.call("getState");
      await host.call("abort");
    });
    await host.call("getState");
    await host.call("getMessages");
  }],
  ["an abort while a tool is running", async (host) => {
    const idle = host.idle();
    await host.call("prompt", "sleep");
    await fileThere(host.inWorkspace("sleeping"));
    await host.call("abort");
    await idle;
    await host.call("abort");
    await host.call("getMessages");
  }],
  ["steering and follow-up messages, one at a time", async (host) => {
    await host.call("setSteeringMode", "one-at-a-time");
    await host.call("setFollowUpMode", "one-at-a-time");
    await atGate(host, "steer", "work", async (release) => {
      await host.call("steer", "first steer");
      await host.call("followUp", "first follow-up");
      await host.call("steer", "second steer");
      await host.call("followUp", "second follow-up");
      await host.call("getState");
      await release();
    });
    await host.call("getState");
  }],
  ["steering and follow-up messages, all at once", async (host) => {
    await host.call("setSteeringMode", "all");
    await host.call("setFollowUpMode", "all");
    await atGate(host, "together", "work on", async (release) => {
      for (const number of ["third", "fourth"]) {
        await host.call("steer", `${number} steer`);
        await host.call("followUp", `${number} follow-up`);
      }
      await release();
    });
    await host.call("getState");
  }],
  ["a prompt while a run is on, and the queue cleared", async (host) => {
    await atGate(host, "clear", "once again", async (release) => {
      await host.call("prompt", "refused");
      if (host.has("clearQueue")) {
        await host.call("steer", "never read");
        await host.call("followUp", "never read either");
        await host.call("clearQueue");
      }
      await release();
    });
    await host.call("getState");
  }],
  ["shell commands", async (host) => {
    await host.call("bash", "echo from the shell; exit 3");
    const sleep = host.call("bash", "touch asleep; sleep 60");
    await fileThere(host.inWorkspace("asleep"));
    await host.call("abortBash");
    await sleep;
    await prompted(host, "do you see it?");
    await host.call("getMessages");
  }],
  ["retries", async (host) => {
    const retried = host.event("auto_retry_end");
    await prompted(host, "try");
    await retried;
    await host.call("setAutoRetry", false);
    await prompted(host, "try without retries");
    await host.call("setAutoRetry", true);
    const waits = host.event("auto_retry_start");
    const over = host.event("auto_retry_end");
    await host.call("prompt", "try again");
    await waits;
    await host.call("abortRetry");
    await over;
    await host.call("getState");
    await prompted(host, "a bad request");
    await host.call("getMessages");
  }],
  ["a name, and an export", async (host) => {
    await host.call("setSessionName", "the first session");
    await host.call("setSessionName", " ");
    await host.call("exportHtml", "session.html");
    await host.call("exportHtml", undefined);
    await everything(host);
  }],
  ["a new session", async (host) => {
    const first = (await host.call("getState")).sessionFile;
    await host.call("newSession", first);
    await everything(host);
    await prompted(host, "nice to meet you");
    await host.call("setSessionName", "the second session");
    await everything(host);
    await host.call("switchSession", first);
    await everything(host);
    await prompted(host, "once more");
    await host.call("switchSession", host.inWorkspace("nothing.jsonl"));
    await host.call("getState");
    await host.call("switchSession", first);
  }],
  ["a fork and a clone", async (host) => {
    const messages = await host.call("getForkMessages");
    await host.call("fork", "nothing");
    await host.call("fork", messages?.[2]?.entryId);
    await everything(host);
    await prompted(host, "to the fork");
    await host.call("clone");
    await everything(host);
    await prompted(host, "to the clone");
    await host.call("getEntries", (await host.call("getEntries"))?.entries[3]?.id);
    await host.call("getEntries", "nothing");
  }],
  ["a compaction", async (host) => {
    await host.call("setAutoCompaction", false);
    await host.call("getState");
    await host.call("compact", "Keep the greeting.");
    await everything(host);
    await prompted(host, "after it");
    await everything(host);
    await host.call("setAutoCompaction", true);
  }],
  ["a compaction of nothing", async (host) => {
    await host.call("newSession");
    await host.call("compact");
  }],
];
