// The WebSocket connection: messages, requests with answers, and reconnection.

import { word } from "./words.js";

/** The server's refusal of a request. */
class RequestError extends Error {
  constructor({ text }) {
    super(text);
  }
}

const MIN_RETRY_DELAY = 250;
const MAX_RETRY_DELAY = 4000;

let socket = null;
let retryDelay = MIN_RETRY_DELAY;
let lastTag = 0;
const pending = new Map();

/**
 * Connects, and reconnects after a loss. Calls `opened` for each new connection, `closed` for each
 * loss and `received` for each message.
 */
export function connect({ opened, closed, received }) {
  socket = new WebSocket(`ws://${location.host}/ws`);
  socket.addEventListener("open", () => {
    retryDelay = MIN_RETRY_DELAY;
    opened();
  });
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    const entry = pending.get(message.tag);
    pending.delete(message.tag);
    if (message.is === "error" && entry) return entry.reject(new RequestError(message));
    received(message);
    entry?.resolve(message);
  });
  socket.addEventListener("close", () => {
    for (const { reject } of pending.values())
      reject(new RequestError({ text: word("error.offline") }));
    pending.clear();
    closed();
    setTimeout(() => connect({ opened, closed, received }), retryDelay);
    retryDelay = Math.min(2 * retryDelay, MAX_RETRY_DELAY);
  });
}

/** Sends a message without waiting for an answer. It is dropped while there is no connection. */
export function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/**
 * Sends a request and resolves to its answer. Rejects with a {@link RequestError} if the server
 * refuses it.
 */
export function request(message) {
  return new Promise((resolve, reject) => {
    if (socket?.readyState !== WebSocket.OPEN)
      return reject(new RequestError({ text: word("error.offline") }));
    const tag = ++lastTag;
    pending.set(tag, { resolve, reject });
    socket.send(JSON.stringify({ ...message, tag }));
  });
}
