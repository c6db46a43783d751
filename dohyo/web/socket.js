// The connection to the server: messages out and in, answers to requests, and a new connection when one is lost.

/** The server refused a request, in its own words. */
export class Refusal extends Error {
  constructor({ text }) {
    super(text);
  }
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 4000;

let socket = null;
let pause = FIRST_PAUSE;
let lastTag = 0;
const waiting = new Map();

/** Keeps a connection: `opened` is called for each new one, `closed` when one is lost, `received` with every message. */
export function connect({ opened, closed, received }) {
  socket = new WebSocket(`ws://${location.host}/ws`);
  socket.addEventListener("open", () => {
    pause = FIRST_PAUSE;
    opened();
  });
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    const asked = waiting.get(message.tag);
    waiting.delete(message.tag);
    if (message.is === "error" && asked) return asked.reject(new Refusal(message));
    received(message);
    asked?.resolve(message);
  });
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Refusal({ text: "the connection was lost" }));
    waiting.clear();
    closed();
    setTimeout(() => connect({ opened, closed, received }), pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  });
}

/** Sends a message whose answer, if there is one, is for everybody. Without a connection it is dropped: the next one begins anew. */
export function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/** Sends a request and waits for its answer; a {@link Refusal} says why there is none. */
export function ask(message) {
  return new Promise((resolve, reject) => {
    if (socket?.readyState !== WebSocket.OPEN) return reject(new Refusal({ text: "there is no connection" }));
    const tag = ++lastTag;
    waiting.set(tag, { resolve, reject });
    socket.send(JSON.stringify({ ...message, tag }));
  });
}
