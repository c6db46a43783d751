// The connection to the native server: a WebSocket that reconnects after a loss.
// `web/page/transport.js` is the connection of the static page, with the same interface.

const MIN_RETRY_DELAY = 250;
const MAX_RETRY_DELAY = 4000;

/**
 * Connects, and reconnects after a loss. Calls `opened` for each new connection, `closed` for each
 * loss and `received` for the text of each message.
 */
export function openTransport({ opened, closed, received }) {
  let socket;
  let retryDelay = MIN_RETRY_DELAY;
  const open = () => {
    socket = new WebSocket(`ws://${location.host}/ws`);
    socket.addEventListener("open", () => {
      retryDelay = MIN_RETRY_DELAY;
      opened();
    });
    socket.addEventListener("message", ({ data }) => received(data));
    socket.addEventListener("close", () => {
      closed();
      setTimeout(open, retryDelay);
      retryDelay = Math.min(2 * retryDelay, MAX_RETRY_DELAY);
    });
  };
  open();
  return {
    isOpen: () => socket.readyState === WebSocket.OPEN,
    send: (text) => socket.send(text),
  };
}
