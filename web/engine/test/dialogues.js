// Random dialogues, with the answers of the program oshi.

import { readFileSync } from "node:fs";
import { startNative } from "./native.js";

const FENS = ["kamisado-perft", "kamisado-layouts", "kamon-perft"].flatMap((name) =>
  readFileSync(new URL(`../../../tests/data/${name}.txt`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" ;")[0]),
);
const VARIANTS = [
  "kamisado-simple",
  "kamisado-standard",
  "kamisado-long",
  "kamisado-marathon",
  "kamon",
];
const LAYOUTS = ["standard", "mirrored", "turned", "turned-mirrored"];
/** Lines that need no search. Some are errors. */
const LINES = [
  "",
  "uci",
  "ugi",
  "ucinewgame",
  "ponderhit",
  "stop",
  "query gameover",
  "query p1turn",
  "query result",
  "d",
  "svg",
  "legal",
  "undo",
  "undo 3",
  "eval",
  "help",
  "debug on",
  "debug off",
  "# a comment",
  "refill left",
  "moves 0000",
  "moves a1a5",
  "moves xyzzy",
  "position startpos moves h1h6 b8c7 e1e5 h8g7 a1a3 c7a5 e5b8 right",
  "position startpos moves a1a5 a1a5",
  "position fen nonsense",
  "go nodes 0 nodes 1",
  "go perft 0",
  "setoption name Depth value 1",
  "setoption name MultiPV value 129",
  "query p1turn\r\nquery result\rquery gameover",
  "\u007f\u009b ä 中 \ud83d\ude00",
];
/** Lines that set up an engine as a new one. */
const RESET = [
  "uci",
  "debug off",
  "setoption name Layout value standard",
  "setoption name UCI_Variant value kamisado-standard",
  "setoption name MultiPV value 1",
  "setoption name Seed value 0",
  "setoption name Hash value 4",
  "setoption name UCI_LimitStrength value false",
  "ucinewgame",
];

/** Random numbers below 2³² (mulberry32). */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** An answer without times, speeds and the limits of the machine. */
export function timeless({ lines, answer }) {
  // Only the order of other answers is the same in each search that ends by time.
  const isTimed = lines.some((line) => /infinite|movetime|ponder/.test(line));
  const kept = isTimed ? answer.filter((line) => !/^info (depth|string (proven|stage))/.test(line)) : answer;
  return kept.map((line) => (isTimed && line.startsWith("bestmove") ? "bestmove" : timelessLine(line)));
}

const timelessLine = (line) =>
  line
    .replace(/ (nps|time) \d+/g, "")
    .replace(/^(Nodes\/second\s*:) \d+/, "$1")
    .replace(/^(option name (?:Hash|Threads) .* max) \d+/, "$1");

/**
 * Plays `count` dialogues with the program. Returns their turns: the lines sent, the beginning of
 * the last line of the answer, and the answer.
 */
export async function dialogues(seed, count) {
  const next = random(seed);
  const below = (limit) => next() % limit;
  const pick = (list) => list[below(list.length)];
  const native = startNative();
  const turns = [];
  const ask = async (lines, last) => {
    const answer = await native.ask(lines, last);
    turns.push({ lines, last, answer });
    return answer;
  };
  // A search that ends by time remembers other results each time.
  const timed = async (lines) => {
    await ask(lines, "bestmove");
    await tell("ucinewgame");
  };
  const tell = (...lines) => ask([...lines, "isready"], "readyok");
  const aMove = async () => {
    const answer = await tell("legal");
    const legal = answer.find((line) => line.startsWith("legal")).split(" ").slice(1);
    return legal.length ? pick(legal) : "0000";
  };
  const limit = () =>
    pick([
      `nodes ${1 + below(400)}`,
      `depth ${1 + below(3)} nodes 400`,
      `mate ${1 + below(3)} nodes 200`,
      `nodes ${1 + below(100)} wtime 100000 btime 100000`,
    ]);
  const steps = [
    async () => ask([`go ${limit()}`], "bestmove"),
    async () => ask([`go ${limit()}`], "bestmove"),
    async () => ask([`go nodes 50 searchmoves ${await aMove()}`], "bestmove"),
    async () => ask([`go perft ${1 + below(3)}`], "Nodes searched"),
    async () => timed(["go infinite", "query result", "position startpos", "stop"]),
    async () => timed(["go ponder nodes 50", "query p1turn", "ponderhit"]),
    async () => timed(["go movetime 5"]),
    async () => tell(`moves ${await aMove()}`),
    async () => tell(`moves ${await aMove()}`),
    async () => tell(`position random ${next()}`),
    async () => tell(`position fen ${pick(FENS)}`),
    async () => tell(`setoption name UCI_Variant value ${pick(VARIANTS)}`),
    async () => tell(`setoption name Layout value ${pick(LAYOUTS)}`),
    async () => tell(`setoption name MultiPV value ${1 + below(5)}`),
    async () => tell(`setoption name Seed value ${below(9)}`),
    async () => tell(`setoption name Hash value ${1 + below(3)}`),
    async () => tell("setoption name UCI_LimitStrength value true"),
    async () => tell(pick(LINES)),
    async () => tell(pick(LINES), pick(LINES), pick(LINES)),
  ];
  for (let index = 0; index < count; index += 1) {
    await tell(...RESET);
    for (let left = 3 + below(20); left > 0; left -= 1) await pick(steps)();
  }
  native.end();
  return turns;
}
