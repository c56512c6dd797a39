// Writes the folders of the npm packages: `npm.mjs OUT`. OUT has unpacked release archives, one for each platform that was built, and gets
// OUT/npm with a package for each of them, and the package that depends on them: npm installs the one that fits.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What Rust calls a platform, and what Node and npm call it. */
const PLATFORMS = {
  "x86_64-unknown-linux-gnu": { os: "linux", cpu: "x64", libc: "glibc" },
  "aarch64-unknown-linux-gnu": { os: "linux", cpu: "arm64", libc: "glibc" },
  "x86_64-apple-darwin": { os: "darwin", cpu: "x64" },
  "aarch64-apple-darwin": { os: "darwin", cpu: "arm64" },
};

/** The pages that the README of the client links to. */
const PAGES = ["docs/install.md", "docs/mock-agent.md", "docs/model.md", "docs/own-dialect.md", "docs/real-agents.md", "docs/scenarios.md", "mock-provider/README.md"];

const [out] = process.argv.slice(2);
const root = new URL("../", import.meta.url).pathname;
const client = join(root, "clients/typescript");
const { private: _, scripts, devDependencies, ...manifest } = JSON.parse(readFileSync(join(client, "package.json"), "utf8"));
const { version, license } = manifest;

const write = (folder, manifest) => {
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
};

const optionalDependencies = {};
for (const [target, { os, cpu, libc }] of Object.entries(PLATFORMS)) {
  const archive = join(out, `agent-conform-${version}-${target}`);
  if (!existsSync(archive)) continue;
  const name = `@agent-conform/${os}-${cpu}`;
  const folder = join(out, "npm", `${os}-${cpu}`);
  const description = `The programs of agent-conform for ${os} on ${cpu}`;
  write(folder, { name, version, description, license, os: [os], cpu: [cpu], ...(libc && { libc: [libc] }), preferUnplugged: true });
  for (const program of ["conform", "mock-agent"]) cpSync(join(archive, program), join(folder, "bin", program));
  optionalDependencies[name] = version;
}

const folder = join(out, "npm", "agent-conform");
write(folder, { ...manifest, files: [...manifest.files, ...PAGES], optionalDependencies });
cpSync(join(client, "dist"), join(folder, "dist"), { recursive: true });
writeFileSync(join(folder, "README.md"), readFileSync(join(client, "README.md"), "utf8").replaceAll("](../../", "]("));
for (const page of PAGES) cpSync(join(root, page), join(folder, page), { recursive: true });
