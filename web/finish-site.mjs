// Completes the folder of the static page: the head of `index.html`, and the version with the list
// of files for the service worker. Usage: node web/finish-site.mjs FOLDER

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const [folder] = process.argv.slice(2);

/** Only files of this page are loaded, and nothing is sent to another host. */
const POLICY = {
  "default-src": "'none'",
  "script-src": "'self' 'wasm-unsafe-eval'",
  "style-src": "'self'",
  "img-src": "'self' data: blob:",
  "connect-src": "'self'",
  "worker-src": "'self'",
  "manifest-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
};

/** Modules that a module imports, directly or through others. The browser would find them late. */
function imported(name, found = new Set()) {
  const source = readFileSync(join(folder, name), "utf8");
  for (const [, other] of source.matchAll(/^(?:import|\}).*? "\.\/(.+)";$/gm)) {
    if (found.has(other)) continue;
    found.add(other);
    imported(other, found);
  }
  return found;
}

const preloads = [...imported("main.js")].map(
  (name) => `<link rel="modulepreload" href="${name}">\n`,
);
const policy = Object.entries(POLICY)
  .map(([name, sources]) => `${name} ${sources}`)
  .join("; ");
const index = join(folder, "index.html");
const page = readFileSync(index, "utf8");
const mark = '<meta charset="utf-8">\n';
if (!page.includes(mark)) throw new Error(`${index}: expected ${mark.trim()}`);
writeFileSync(
  index,
  page.replace(
    mark,
    `${mark}<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="description" content="Play, analyse and review Kamisado and Kamon in the browser.">
<meta name="referrer" content="no-referrer">
<meta name="theme-color" content="#6b3f94">
<link rel="manifest" href="manifest.webmanifest">
<link rel="apple-touch-icon" href="icon-192.png">
${preloads.join("")}`,
  ),
);

// The service worker itself is no file of its own cache.
const isKept = (name) => !["service-worker.js", "version.js"].includes(name);
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
  .map((name) => name.replaceAll("\\", "/"))
  .filter(isKept)
  .sort();
const hash = createHash("sha256");
for (const name of files) hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
const version = hash.digest("hex").slice(0, 16);
const names = ["./", ...files];
writeFileSync(
  join(folder, "version.js"),
  `self.VERSION = ${JSON.stringify(version)};\nself.FILES = ${JSON.stringify(names)};\n`,
);
