// Graph of Black's winning chance according to both engines.

const GRAPH = { height: 170, left: 50, right: 12, top: 22, bottom: 12 };

/** The points of each player's line: chances reported with its moves. */
function linesOf(game) {
  const scores = game.scores.map(
    (it, own) =>
      it && { ply: own + game.opening + 1, turn: turnBefore(game, own + game.opening), ...it },
  );
  return [0, 1].map((turn) => scores.filter((it) => it?.turn === turn));
}

/** Draws the graph at a width in pixels. */
function graphOf(game, width) {
  const { height, left, right, top, bottom } = GRAPH;
  const across = (ply) => left + (ply / Math.max(1, game.plies.length)) * (width - left - right);
  const up = (chance) => top + (1 - chance / 1000) * (height - top - bottom);
  const svg = draw("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-labelledby": "graph-title",
  });
  svg.append(
    draw(
      "title",
      { id: "graph-title" },
      `Black's win probability over ${game.plies.length} plies; ${game.drops.size} errors`,
    ),
  );
  for (const chance of [0, 500, 1000]) {
    svg.append(
      draw("line", {
        class: chance === 500 ? "axis" : "grid",
        x1: left,
        x2: width - right,
        y1: up(chance),
        y2: up(chance),
      }),
    );
    svg.append(
      draw("text", { class: "tick end", x: left - 6, y: up(chance) + 4 }, percent(chance)),
    );
  }
  // Ends of rounds with the new score. Overlapping labels are left out.
  let free = left;
  for (const [ply, [black, white]] of game.points) {
    const at = across(ply);
    svg.append(draw("line", { class: "guide", x1: at, x2: at, y1: top, y2: height - bottom }));
    const half = 4 * `${black}–${white}`.length;
    if (at - half < free || at + half > width) continue;
    svg.append(draw("text", { class: "tick middle", x: at, y: top - 8 }, `${black}–${white}`));
    free = at + half + 4;
  }
  linesOf(game).forEach((line, turn) => {
    const points = line.map(
      ({ ply, chance }) => `${across(ply).toFixed(1)},${up(chance).toFixed(1)}`,
    );
    svg.append(draw("polyline", { class: `line reported-${turn}`, points: points.join(" ") }));
    if (line.length === 1)
      svg.append(
        draw("circle", {
          class: `reported-${turn}`,
          cx: across(line[0].ply),
          cy: up(line[0].chance),
          r: 3,
        }),
      );
  });
  for (const { ply, from, to } of game.drops.values()) {
    const sign = draw("g", { class: "error", transform: `translate(${across(ply)} ${up(from)})` });
    sign.append(
      draw("circle", { r: 7 }),
      draw("text", { y: 4 }, "?"),
      draw("title", {}, `Ply ${ply}: ${dropText({ from, to })}`),
    );
    svg.append(sign);
  }
  const cursor = draw("line", { class: "cursor", y1: top, y2: height - bottom });
  svg.append(cursor);
  return {
    svg,
    show(ply) {
      for (const end of ["x1", "x2"]) cursor.setAttribute(end, across(ply));
    },
    plyAt: (x) => Math.round(((x - left) / (width - left - right)) * game.plies.length),
  };
}

const dropText = ({ from, to }) =>
  `Black's win probability went from ${percent(from)} to ${percent(to)}`;
/** `??` marks a loss of at least 40 percentage points. */
const signOf = ({ from, to }) => (Math.abs(from - to) >= 400 ? "??" : "?");
