// A server of files without special headers, like `python3 -m http.server`.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/**
 * Serves a folder below `path`. `find(name)` may return another file for a name. `requests` lists
 * the names that were requested.
 */
export async function serveFiles(folder, { port = 0, path = "/", find } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const name = normalize(decodeURIComponent(pathname)).slice(path.length) || "index.html";
    requests.push(name);
    const file = find?.(name) ?? join(folder, name);
    if (!pathname.startsWith(path) || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain" });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: chosen } = server.address();
  return {
    url: `http://127.0.0.1:${chosen}${path}`,
    port: chosen,
    requests,
    end: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}
