// The engines of the board: a worker of `oshi-web` for each.

import { Engine } from "./engine/engine.js";

/** Maximum number of engines, which bounds the memory. */
const MAX_ENGINES = 4;

/** Returns the functions for engines that the board calls. */
export function runEngines({ line, failed }) {
  const running = new Map();
  return {
    maxEngines: () => MAX_ENGINES,
    startEngine(id) {
      const engine = new Engine({
        onLine: (text) => line(id, text),
        onEnd: (message) => failed(id, message ?? "the engine has ended"),
      });
      running.set(id, engine);
    },
    sendLine: (id, text) => running.get(id)?.send(text),
    endEngine(id) {
      running.get(id)?.terminate();
      running.delete(id);
    },
  };
}
