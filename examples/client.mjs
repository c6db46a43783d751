// The engine plays a game against itself, driven from Node.js without packages. To run:
// cargo build --release && node examples/client.mjs target/release/oshi kamisado-standard
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/** A process of the engine. Commands and answers are lines. */
export class Engine {
  #process;
  #lines;

  constructor(program) {
    this.#process = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  /** Sends a command that has no answer. */
  send(line) {
    this.#process.stdin.write(`${line}\n`);
  }

  /** Sends a command and returns the lines of its answer, to the one that starts with `end`. */
  async ask(line, end) {
    this.send(line);
    const answer = [];
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`the engine ended; expected \`${end}\` after \`${line}\``);
      answer.push(value);
      if (value.startsWith(end)) return answer;
    }
  }

  /** Sends a command that is answered only by an error. Throws it as an `Error`. */
  async tell(line) {
    const [error] = (await this.ask(`${line}\nisready`, "readyok")).slice(0, -1);
    if (error) throw new Error(error.replace("info string error: ", ""));
  }

  /** Returns `true` or `false`, or a result such as `p1win`. */
  async query(what) {
    const word = (await this.ask(`query ${what}`, "response")).at(-1).split(" ")[1];
    return { true: true, false: false }[word] ?? word;
  }

  /** Returns the best move, or null, and the last score: `{ cp: 35 }`, `{ mate: 4 }` or null. */
  async go(limits) {
    const info = (line) => / score (cp|mate) (-?\d+)/.exec(line);
    const answer = await this.ask(`go ${limits}`, "bestmove");
    const [, kind, value] = answer.map(info).filter(Boolean).at(-1) ?? [];
    const move = answer.at(-1).split(" ")[1];
    return {
      move: move === "(none)" ? null : move,
      score: kind ? { [kind]: Number(value) } : null,
    };
  }

  /** Ends the process. */
  quit() {
    this.#process.stdin.end("quit\n");
  }
}

/** Plays a whole game, calls `onMove` after each move, and returns the result. */
export async function playGame(engine, variant, limits, onMove) {
  await engine.ask("uci", "uciok");
  await engine.tell(`setoption name UCI_Variant value ${variant}`);
  await engine.tell("ucinewgame");
  const moves = [];
  while (!(await engine.query("gameover"))) {
    const isBlacks = await engine.query("p1turn");
    const { move, score } = await engine.go(limits);
    moves.push(move);
    onMove(isBlacks ? "Black" : "White", move, score);
    await engine.tell(`position startpos moves ${moves.join(" ")}`);
  }
  return engine.query("result");
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [program, variant = "kamisado-standard", limits = "movetime 100"] = process.argv.slice(2);
  const engine = new Engine(program);
  const print = (player, move, score) => console.log(player, move, JSON.stringify(score));
  console.log(await playGame(engine, variant, limits, print));
  engine.quit();
}
