// The messages to and from the board: requests with answers. `transport.js` carries them.

import { openTransport } from "./transport.js";
import { word } from "./words.js";

/** The refusal of a request. */
class RequestError extends Error {
  constructor({ text }) {
    super(text);
  }
}

let transport = null;
let lastTag = 0;
const pending = new Map();

/**
 * Connects, and reconnects after a loss. Calls `opened` for each new connection, `closed` for each
 * loss and `received` for each message.
 */
export function connect({ opened, closed, received }) {
  transport = openTransport({
    opened,
    received(text) {
      const message = JSON.parse(text);
      const entry = pending.get(message.tag);
      pending.delete(message.tag);
      if (message.is === "error" && entry) return entry.reject(new RequestError(message));
      received(message);
      entry?.resolve(message);
    },
    closed() {
      for (const { reject } of pending.values())
        reject(new RequestError({ text: word("error.offline") }));
      pending.clear();
      closed();
    },
  });
}

/** Sends a message without waiting for an answer. It is dropped while there is no connection. */
export function send(message) {
  if (transport?.isOpen()) transport.send(JSON.stringify(message));
}

/**
 * Sends a request and resolves to its answer. Rejects with a {@link RequestError} if it is refused.
 */
export function request(message) {
  return new Promise((resolve, reject) => {
    if (!transport?.isOpen()) return reject(new RequestError({ text: word("error.offline") }));
    const tag = ++lastTag;
    pending.set(tag, { resolve, reject });
    transport.send(JSON.stringify({ ...message, tag }));
  });
}
