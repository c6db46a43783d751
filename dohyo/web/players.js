// The two players next to the board: names, points, ranks, clocks, the turn and the called tower.

import { pieceIcon } from "./stage.js";
import { make } from "./dom.js";
import { settings } from "./settings.js";
import { current, isHumanVsEngine, on, state, variantOf } from "./state.js";
import { percent, seconds, side, word } from "./words.js";

function levelName(player) {
  if (player.kind === "person") return null;
  if (player.level) return word(`level.${player.level}`);
  if (player.movetime) return word("movetime.is", { s: seconds(player.movetime) });
  return null;
}

/** Fills both seats. The far seat is above the board. */
export function showPlayers(stage, isFlipped) {
  const { game } = state;
  const node = current();
  if (!game || !node || !stage) return;
  for (const seat of document.querySelectorAll(".player[data-seat]")) {
    const turn = (seat.dataset.seat === "near") !== isFlipped ? 0 : 1;
    const isOn = node.turn === turn && !node.end;
    seat.classList.toggle("on-turn", isOn);
    seat.dataset.turn = turn;
    seat.replaceChildren(
      ...[
        who(turn),
        sumos(turn, stage),
        called(isOn, stage),
        thoughts(turn),
        points(turn),
        clock(turn),
      ].filter(Boolean),
    );
  }
  tick();
}

/** The engine's name without its level, which is shown separately in the page's language. */
const engineName = ({ name, level }) => (level ? name.replace(` (${level})`, "") : name);

function who(turn) {
  const player = state.game.players[turn];
  const level = levelName(player);
  const isPerson = player.kind === "person";
  const name = isPerson ? player.name || word("person") : engineName(player);
  return make(
    "span",
    { class: "who" },
    make(
      "span",
      { class: `disc disc-${turn}`, title: side(turn) },
      make("span", { class: "visually-hidden", text: side(turn) }),
    ),
    make(
      "span",
      { class: "names" },
      make("bdi", { title: name, text: name }),
      level ? make("small", { text: level }) : null,
    ),
  );
}

/** Icons of the player's towers that have teeth. */
function sumos(turn, stage) {
  const { scene, points: won } = current();
  if (!won || !variantOf(state.game.variant)?.points) return null;
  const half = scene.pieces.length / 2;
  const own = scene.pieces.flatMap(([, level], piece) =>
    level > 0 && piece >= half === Boolean(turn) ? [piece] : [],
  );
  if (!own.length) return null;
  const icons = own.map((piece) => {
    const drawn = pieceIcon(stage, scene, (place, level, number) => number === piece);
    const teeth = scene.pieces[piece][1];
    return make(
      "span",
      { class: "sumo", title: word(`rank.${teeth}`) },
      drawn,
      make("span", { class: "visually-hidden", text: word(`rank.${teeth}`) }),
    );
  });
  return make("span", { class: "sumos" }, ...icons);
}

/** The called tower or, in Kamon, the token to match. */
function called(isOn, stage) {
  const { scene, refills } = current();
  if (!isOn || refills) return null;
  const isTower = scene.called !== null && scene.called !== undefined;
  const place = isTower ? scene.called : variantOf(state.game.variant)?.points ? null : scene.to;
  if (place === null || place === undefined) return null;
  const drawn = pieceIcon(
    stage,
    scene,
    (at, level, number) => at === place && (isTower || number >= scene.pieces.length / 2),
  );
  return make(
    "span",
    { class: "called" },
    make("span", { text: word(isTower ? "called" : "match") }),
    drawn,
  );
}

function thoughts(turn) {
  const { thinking, game } = state;
  if (
    !thinking ||
    thinking.side !== turn ||
    game.players[turn].kind === "person" ||
    thinking.node !== game.head ||
    game.state !== "playing"
  )
    return null;
  const dots = make(
    "span",
    { class: "dots", "aria-hidden": "true" },
    make("i"),
    make("i"),
    make("i"),
  );
  const isSecret = isHumanVsEngine() && !settings.thoughts;
  const evaluation =
    isSecret || !thinking.score
      ? ""
      : [scoreText(thinking.score), thinking.depth ? word("depth", { n: thinking.depth }) : ""]
          .filter(Boolean)
          .join(" · ");
  return make(
    "span",
    { class: "thinks" },
    dots,
    make("span", {
      class: evaluation ? "" : "visually-hidden",
      text: evaluation || word("thinks"),
    }),
  );
}

/** A protocol score from the view of the player it belongs to. */
function scoreText(score) {
  if (score.mate !== undefined && score.mate !== null)
    return word(score.mate > 0 ? "mate.wins" : "mate.loses", { n: Math.abs(score.mate) });
  return percent(1 / (1 + 10 ** (-score.cp / 400)));
}

function points(turn) {
  const won = current().points;
  if (!won) return null;
  const target = variantOf(state.game.variant)?.target;
  const text = String(won[turn]);
  return make(
    "span",
    { class: "points", title: word("points") },
    make("b", { text }),
    target ? make("small", { text: `/ ${target}` }) : null,
    make("span", { class: "visually-hidden", text: word("points") }),
  );
}

function clock(turn) {
  if (!state.game.clock) return null;
  return make("time", { class: "clock", data: { clock: turn } });
}

export function clockText(ms) {
  const left = Math.max(0, ms);
  const minutes = Math.floor(left / 60000);
  const seconds = Math.floor((left % 60000) / 1000);
  const tenths = left < 20000 ? `.${Math.floor((left % 1000) / 100)}` : "";
  return `${minutes}:${String(seconds).padStart(2, "0")}${tenths}`;
}

/** Updates the clocks. A running clock subtracts the time since the server's last message. */
function tick() {
  const { game } = state;
  if (!game?.clock) return;
  for (const element of document.querySelectorAll("[data-clock]")) {
    const turn = Number(element.dataset.clock);
    const isRunning = game.clock.running === turn && game.state === "playing";
    const left = game.clock.ms[turn] - (isRunning ? performance.now() - game.clockSince : 0);
    element.textContent = clockText(left);
    element.classList.toggle("running", isRunning);
    element.classList.toggle("short", left < 20000);
  }
}
setInterval(tick, 100);
on("head", tick);
