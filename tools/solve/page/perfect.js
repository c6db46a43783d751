// Plays the simple game from a certificate of all openings, without a search.

import { Round, colour, name } from "./rules.js";
import { answer, parse } from "./strategy.js";

const CERTIFICATE = new URLSearchParams(location.search).get("certificate") ?? "simple.cert";
const PAINT = {
  b: "#8a5a2b",
  g: "#2e9e4f",
  r: "#d7322f",
  y: "#f2cf2e",
  p: "#ef8fc0",
  v: "#7a4fb0",
  l: "#3576c9",
  o: "#f08a24",
};
const NAMES = { b: "Black", w: "White" };

const message = document.getElementById("message");
const board = document.getElementById("board");

/** Reads the certificate, compressed or not. */
async function read() {
  const response = await fetch(CERTIFICATE);
  if (!response.ok) throw new Error(`${CERTIFICATE}: ${response.status} ${response.statusText}`);
  const bytes = await response.blob();
  if ((await bytes.slice(0, 4).text()) === "oshi") return bytes.text();
  return new Response(bytes.stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

function play(certificate, human) {
  let [round, chosen, last, lines] = [Round.start(), null, null, []];

  const make = (move) => {
    lines.push(move.text);
    [round, chosen, last] = [move.next, null, move];
    go();
  };

  const go = () => {
    const legal = round.moves();
    if (!round.winner && round.turn === human && legal[0].text === "0000") return make(legal[0]);
    if (!round.winner && round.turn !== human) return make(answer(certificate, round) ?? legal[0]);
    chosen = round.called ? round.find(round.turn, round.called) : null;
    draw();
  };

  const click = (square) => {
    if (round.winner) return;
    const move = round.moves().find(({ from, to }) => from === chosen && to === square);
    if (move) return make(move);
    if (!round.called && round.owner(square) === human) chosen = square;
    draw();
  };

  const draw = () => {
    const targets = chosen === null || round.winner ? [] : round.targets(chosen);
    const squares = [...round.board.keys()].sort((a, b) => (b >> 3) - (a >> 3) || a - b);
    board.replaceChildren(
      ...(human === "b" ? squares : squares.reverse()).map((square) => {
        const button = document.createElement("button");
        button.style.setProperty("--square", PAINT[colour(square)]);
        button.setAttribute(
          "aria-label",
          [name(square), round.board[square] && NAMES[round.owner(square)]]
            .filter(Boolean)
            .join(" "),
        );
        button.classList.toggle("target", targets.includes(square));
        button.classList.toggle("last", last?.to === square);
        button.onclick = () => click(square);
        if (round.board[square]) {
          const tower = document.createElement("span");
          const owner = NAMES[round.owner(square)].toLowerCase();
          tower.className = `tower ${owner} ${square === chosen ? "called" : ""}`;
          tower.style.setProperty("--tower", PAINT[round.board[square].toLowerCase()]);
          tower.textContent = round.board[square].toUpperCase();
          button.append(tower);
        }
        return button;
      }),
    );
    const state = round.winner
      ? `${NAMES[round.winner]} wins.`
      : round.called
        ? "The tower with the yellow ring is called."
        : "Choose any tower.";
    message.textContent = `${state} ${lines.join(" ")}`;
  };

  go();
}

try {
  const certificate = parse(await read());
  document.getElementById("white").onclick = () => play(certificate, "w");
  document.getElementById("black").onclick = () => play(certificate, "b");
  play(certificate, "w");
} catch (error) {
  message.textContent =
    `cannot read the certificate (${error.message}). To create it, run ` +
    "cargo run --release -p oshi-solve -- --openings --certificate tools/solve/page/simple.cert";
}
