// The host of the engine: starts its worker, and starts it again after a panic.

/** First words of lines that change the position. */
const POSITION_WORDS = ["position", "moves", "refill", "undo"];

/** Name of the option that a `setoption` sets, in lower case. */
const optionName = (line) =>
  /^\s*setoption\s+name\s+(.*?)(\s+value(\s.*)?)?$/.exec(line)?.[1].toLowerCase();

const firstWord = (line) => line.trim().split(/\s/)[0];

export class Engine {
  #url;
  #worker;
  /** Lines that set up a new worker as the last one was. */
  #state = [];
  #isSearching = false;
  /** Number of `isready` without `readyok`. */
  #unanswered = 0;
  /** Whether the worker is loaded and set up. */
  #isUp = false;

  constructor({ onLine = () => {}, onEnd = () => {}, url } = {}) {
    this.onLine = onLine;
    this.onEnd = onEnd;
    this.#url = url;
    this.#start();
  }

  send(text) {
    for (const line of text.split(/\r\n|\r|\n/)) {
      this.#track(line);
      this.#worker?.postMessage(line);
    }
  }

  terminate() {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start() {
    const worker = this.#url
      ? new Worker(this.#url, { type: "module" })
      : new Worker(new URL("./oshi-worker.js", import.meta.url), { type: "module" });
    this.#worker = worker;
    this.#isUp = false;
    worker.onmessage = ({ data }) => {
      if (this.#worker === worker) this.#take(data);
    };
    worker.onerror = ({ message }) => {
      if (this.#worker === worker) this.#fail(message || "cannot load the worker");
    };
    for (const line of this.#state) worker.postMessage(line);
    worker.postMessage("isready");
    for (let count = this.#unanswered; count > 0; count -= 1) worker.postMessage("isready");
  }

  #take(data) {
    if (typeof data === "string") {
      if (this.#isUp) this.#pass(data);
      // The first answer is that of the host's own `isready`; earlier lines repeat old errors.
      else if (data === "readyok") this.#isUp = true;
    } else if (data.failure) {
      this.#fail(data.failure);
    } else if (data.quit) {
      this.#end();
    }
  }

  #pass(line) {
    if (line === "readyok") this.#unanswered -= 1;
    if (firstWord(line) === "bestmove") this.#isSearching = false;
    this.onLine(line);
  }

  /** Reports a panic and starts the worker again, unless it had not even started. */
  #fail(failure) {
    const message = failure.replace(/\s+/g, " ");
    this.onLine(`info string error: engine failed: ${message}`);
    if (this.#isSearching) this.onLine("bestmove (none)");
    this.#isSearching = false;
    if (!this.#worker) return; // A callback has ended it.
    this.#worker.terminate();
    if (this.#isUp) this.#start();
    else this.#end(message);
  }

  #end(message) {
    this.terminate();
    this.onEnd(message);
  }

  /** Notes a change of options or position. During a search the engine refuses both. */
  #track(line) {
    const word = firstWord(line);
    if (word === "isready") this.#unanswered += 1;
    if (this.#isSearching) return;
    if (word === "go") this.#isSearching = !/^\s*go\s+perft\b/.test(line);
    if (POSITION_WORDS.includes(word)) {
      if (word === "position") {
        this.#state = this.#state.filter((line) => firstWord(line) === "setoption");
      }
      this.#state.push(line);
    } else if (word === "setoption") {
      const name = optionName(line);
      this.#state = this.#state.filter((line) => optionName(line) !== name);
      this.#state.push(line);
    }
  }
}
