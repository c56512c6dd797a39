import { defineConfig } from "@playwright/test";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export default defineConfig({
  testMatch: "**/{playwright,page}.spec.ts",
  reporter: "line",
  outputDir: "../test-results",
  use: { launchOptions: { executablePath, args: ["--no-sandbox"] } },
});
