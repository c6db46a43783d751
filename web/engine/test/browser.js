// Serves the package from a sub-path and opens its test page in a browser.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const PREFIX = "/any/path/";
/** Folder above that of the test page. */
const SOURCES = fileURLToPath(new URL("..", import.meta.url));
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

/** Serves a folder and the test page. `replace` changes the text of files. */
export async function serve(folder, replace = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = normalize(pathname.slice(PREFIX.length - 1));
    const root = path.startsWith("/test/") ? SOURCES : folder;
    try {
      let body = await readFile(join(root, path));
      if (replace[path]) body = replace[path](body.toString());
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${PREFIX}`,
    close: () => server.close(),
  };
}

/** Starts a browser: `chrome` or `firefox`. */
export function launch(browser) {
  return puppeteer.launch({
    browser,
    executablePath: browser === "chrome" ? "/usr/bin/chromium" : "/usr/bin/firefox-esr",
    // Chromium's sandbox does not start as root, as in a container.
    args: browser === "chrome" ? ["--no-sandbox"] : [],
    protocolTimeout: 1_800_000,
  });
}
