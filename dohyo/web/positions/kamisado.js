// The text form of Kamisado positions, for the editor.

const LETTERS = "bgrypvlo";
const SIZE = 8;

export const start = (layout = "standard") => {
  const home = {
    standard: "BGRYPVLO",
    mirrored: "OLVPYRGB",
    turned: "ORGPYLVB",
    "turned-mirrored": "BVLYPGRO",
  }[layout];
  const far = [...home].reverse().join("");
  const suffix = layout === "standard" ? "" : ` ${layout}`;
  return `${far}/8/8/8/8/8/8/${home.toLowerCase()} b - 0-0 3${suffix}`;
};

export const starts = () => [["standard", start()]];

/** Parses a position line into a model, or returns null. Lower-case letters are Black's towers. */
export function read(line) {
  const [board, turn, called, points, target, layout = "standard"] = line.trim().split(/\s+/);
  const rows = board?.split("/") ?? [];
  const score = /^(\d+)-(\d+)$/.exec(points ?? "");
  if (rows.length !== SIZE || !score) return null;
  const towers = new Map();
  rows.forEach((row, index) => {
    let file = 0;
    for (const [, teeth, sign] of row.matchAll(/(\+*)([1-8]|[a-zA-Z])/g)) {
      if (/\d/.test(sign)) {
        file += Number(sign);
      } else {
        towers.set(sign, { place: SIZE * (SIZE - 1 - index) + file, teeth: teeth.length });
        file += 1;
      }
    }
  });
  return { towers, turn, called, points: [score[1], score[2]], target, layout };
}

export function write({ towers, turn, called, points, target, layout }) {
  const at = new Map(
    [...towers].map(([sign, { place, teeth }]) => [place, "+".repeat(teeth) + sign]),
  );
  const rows = [];
  for (let rank = SIZE - 1; rank >= 0; rank--) {
    let row = "";
    for (let file = 0; file < SIZE; file++) row += at.get(SIZE * rank + file) ?? "1";
    rows.push(row.replace(/1+/g, (free) => String(free.length)));
  }
  return [
    rows.join("/"),
    turn,
    called,
    points.join("-"),
    target,
    ...(layout === "standard" ? [] : [layout]),
  ].join(" ");
}

/** The scene of a position. The stage says which piece has which letter. */
export function scene({ towers, called, turn }, stage) {
  const pieces = [...stage.pieces].map(([number, piece]) => {
    const letter = piece.querySelector(":scope > text").textContent.toLowerCase();
    const tower = towers.get(
      Number(number) < stage.pieces.size / 2 ? letter : letter.toUpperCase(),
    );
    return tower ? [tower.place, tower.teeth] : [-1, 0];
  });
  const mover = towers.get(turn === "b" ? called : called.toUpperCase());
  return {
    pieces,
    from: null,
    to: null,
    called: LETTERS.includes(called) ? (mover?.place ?? null) : null,
  };
}

const colour = (letter) => [letter, `colour.${letter}`];

/** Fields next to the board: name, and either values with the keys of their texts or a range. */
export const fields = [
  {
    name: "turn",
    values: [
      ["b", "black"],
      ["w", "white"],
    ],
  },
  {
    name: "called",
    values: [["-", "editor.free"], ["refill", "editor.refill"], ...[...LETTERS].map(colour)],
  },
  { name: "points.0", range: [0, 30] },
  { name: "points.1", range: [0, 30] },
  {
    name: "target",
    values: [
      ["1", "variant.simple"],
      ["3", "variant.standard"],
      ["7", "variant.long"],
      ["15", "variant.marathon"],
    ],
  },
  {
    name: "layout",
    values: ["standard", "mirrored", "turned", "turned-mirrored"].map((name) => [
      name,
      `layout.${name}`,
    ]),
  },
];

/** Actions on the selected tower. */
export const tools = [
  { name: "tooth", apply: (model, place) => addTeeth(model, place, 1) },
  { name: "untooth", apply: (model, place) => addTeeth(model, place, -1) },
];

const towerAt = (model, place) => [...model.towers.values()].find((tower) => tower.place === place);

function addTeeth(model, place, more) {
  const tower = towerAt(model, place);
  if (tower) tower.teeth = Math.min(3, Math.max(0, tower.teeth + more));
}

/** Moves a tower; a tower at the target swaps places with it. */
export function move(model, from, to) {
  const [mover, other] = [towerAt(model, from), towerAt(model, to)];
  if (other) other.place = from;
  if (mover) mover.place = to;
}

export const movable = (model) => [...model.towers.values()].map((tower) => tower.place);
