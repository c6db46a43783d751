// The connection of the static page: a worker that runs the board, or leads to the tab that does.
// It has the same interface as `dohyo/web/transport.js`.

import { install } from "./install.js";

const RETRY_DELAY = 1000;
/** Time after which the page is kept for use offline. Its first move should not wait for that. */
const INSTALL_DELAY = 3000;

/**
 * Connects, and reconnects after a loss. Calls `opened` for each new connection, `closed` for each
 * loss and `received` for the text of each message.
 */
export function openTransport({ opened, closed, received }) {
  let worker;
  let isOpen = false;
  const lose = () => {
    isOpen = false;
    closed();
  };
  const start = () => {
    const started = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker = started;
    started.addEventListener("message", ({ data }) => {
      if (typeof data === "string") return received(data);
      if (isOpen) lose();
      isOpen = data.isOpen;
      if (!isOpen) return;
      opened();
      setTimeout(install, INSTALL_DELAY);
    });
    // The board has failed, or its files cannot be loaded.
    started.addEventListener(
      "error",
      () => {
        started.terminate();
        lose();
        setTimeout(start, RETRY_DELAY);
      },
      { once: true },
    );
  };
  start();
  // The browser may keep a page that the user has left, with its worker stopped. Such a worker must
  // not hold the games.
  addEventListener("pagehide", () => {
    worker.terminate();
    if (isOpen) lose();
  });
  addEventListener("pageshow", ({ persisted }) => persisted && start());
  return {
    isOpen: () => isOpen,
    send: (text) => worker.postMessage(text),
  };
}
