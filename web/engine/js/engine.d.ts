/** Settings of an engine. */
export interface EngineOptions {
  /** Receives each line of the engine, without its line end. */
  onLine?: (line: string) => void;
  /** Called once when the engine has ended: after `quit`, or with the reason why it cannot start. */
  onEnd?: (message?: string) => void;
  /** Address of `oshi-worker.js`; by default beside this module. */
  url?: string | URL;
}

/**
 * The engine oshi in a worker. It speaks the protocol of the program `oshi`: UCI with extensions.
 *
 * After a panic it reports `info string error: engine failed: …`, answers a running `go` with
 * `bestmove (none)`, and starts again with the same options and position.
 */
export class Engine {
  constructor(options?: EngineOptions);
  onLine: (line: string) => void;
  onEnd: (message?: string) => void;
  /** Sends one or more lines. They may be sent before the engine is loaded. */
  send(text: string): void;
  /** Ends the engine at once. */
  terminate(): void;
}
