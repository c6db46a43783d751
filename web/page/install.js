// Makes the page available offline.

/** Installs the service worker. It loads the whole page again, so call it when nothing waits. */
export function install() {
  const script = new URL("service-worker.js", import.meta.url);
  // The list of files must not come from the cache of the browser.
  navigator.serviceWorker?.register(script, { updateViaCache: "none" }).catch(() => {
    // Refused by the browser's settings. The page works without it, but only online.
  });
}
