// Graph of Black's winning chance over the game. A click shows the position of that ply.

import { isRevealed } from "./analysis.js";
import { byId, draw, oncePerFrame } from "./dom.js";
import { goTo, on, state } from "./state.js";
import { percent, side, word } from "./words.js";

const HEIGHT = 110;
const EDGE = 6;

const host = byId("graph");
let line = [];

const showSoon = oncePerFrame(show);

function show() {
  const { game } = state;
  const card = byId("graph-card");
  if (!game) return;
  line = game.lineThrough(state.at);
  const values = line.map((id) => valueOf(id));
  const known = values.filter((value) => value !== null).length;
  card.hidden = !isRevealed() || known < 2;
  if (card.hidden) return;
  const width = Math.max(200, host.clientWidth);
  const x = (index) => EDGE + ((width - 2 * EDGE) * index) / Math.max(1, line.length - 1);
  const y = (value) => EDGE + (HEIGHT - 2 * EDGE) * (1 - value);
  const points = values.flatMap((value, index) => (value === null ? [] : [[x(index), y(value)]]));
  const path = points
    .map(([px, py], index) => `${index ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`)
    .join("");
  const [right, left] = [points.at(-1)[0].toFixed(1), points[0][0].toFixed(1)];
  const area = `${path}L${right} ${HEIGHT - EDGE}L${left} ${HEIGHT - EDGE}z`;
  const here = line.indexOf(state.at);
  const hereValue = values[here];
  const svg = draw(
    "svg",
    {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      width,
      height: HEIGHT,
      role: "slider",
      tabindex: 0,
      "aria-label": word("graph"),
      "aria-valuemin": 0,
      "aria-valuemax": line.length - 1,
      "aria-valuenow": here,
      "aria-valuetext": valueText(here, hereValue),
    },
    draw("rect", { class: "field", x: 0, y: 0, width, height: HEIGHT, rx: 6 }),
    draw("path", { class: "area", d: area }),
    draw("path", { class: "half", d: `M0 ${y(0.5)}H${width}` }),
    ...rounds(line).map((index) =>
      draw("path", { class: "round", d: `M${x(index).toFixed(1)} 0V${HEIGHT}` }),
    ),
    draw("path", { class: "curve", d: path }),
    ...line.flatMap((id, index) => {
      const mark = game.marks[id];
      return mark && values[index] !== null
        ? [
            draw(
              "circle",
              { class: `dot mark-${mark.kind}`, cx: x(index), cy: y(values[index]), r: 4.5 },
              draw("title", { text: `${game.get(id).name}: ${word(`mark.${mark.kind}`)}` }),
            ),
          ]
        : [];
    }),
    draw("path", { class: "here", d: `M${x(here).toFixed(1)} 0V${HEIGHT}` }),
    hereValue === null
      ? null
      : draw("circle", { class: "here", cx: x(here), cy: y(hereValue), r: 4 }),
  );
  const hadFocus = host.contains(document.activeElement);
  host.replaceChildren(svg);
  if (hadFocus) svg.focus();
}

/** Black's winning chance after a ply, or the result at the end of the game. */
function valueOf(id) {
  const { game } = state;
  const end = game.get(id).end;
  if (end) return { "1-0": 1, "0-1": 0 }[end.result] ?? 0.5;
  return game.evalOf(id)?.black ?? null;
}

const rounds = (ids) =>
  ids.flatMap((id, index) => (index > 0 && state.game.get(id).kind === "refill" ? [index] : []));

function valueText(index, value) {
  const turn = state.game.moverOf(line[index]);
  const move =
    turn === undefined
      ? word("start.position")
      : `${side(turn)} ${state.game.get(line[index]).name}`;
  return value === null ? move : `${move}, ${word("chance.black")} ${percent(value)}`;
}

function goToX(clientX) {
  const { left, width } = host.getBoundingClientRect();
  const share = (clientX - left - EDGE) / (width - 2 * EDGE);
  const index = Math.round(Math.min(1, Math.max(0, share)) * (line.length - 1));
  state.isOwnMove = false;
  if (line[index] !== undefined) goTo(line[index]);
}

host.addEventListener("pointerdown", (event) => {
  host.setPointerCapture(event.pointerId);
  goToX(event.clientX);
});
host.addEventListener("pointermove", (event) => event.buttons && goToX(event.clientX));

on("tree view review analysis language settings arrows", showSoon);
addEventListener("resize", showSoon);
