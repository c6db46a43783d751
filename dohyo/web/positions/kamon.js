// The text form of Kamon positions, for the editor: tokens, hexagons, side to move, last cell.

const ROWS = [4, 5, 6, 7, 6, 5, 4];
const COLOURS = "pylorg";
const TOKENS = [
  ...[...COLOURS].flatMap((colour) => [1, 2, 3, 4, 5, 6].map((symbol) => colour + symbol)),
  "--",
];
const CELLS = TOKENS.length;

/** The cells of a row in order, row 0 being row a. */
const rowCells = (row) => {
  const first = ROWS.slice(0, row).reduce((sum, cells) => sum + cells, 0);
  return Array.from({ length: ROWS[row] }, (_, index) => first + index);
};
const TOP_DOWN = [6, 5, 4, 3, 2, 1, 0];

const cellName = (cell) => {
  const row = ROWS.findIndex((_, index) => rowCells(index).includes(cell));
  return "abcdefg"[row] + (rowCells(row).indexOf(cell) + 1);
};

function shuffled() {
  const tokens = [...TOKENS];
  for (let last = tokens.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [tokens[last], tokens[other]] = [tokens[other], tokens[last]];
  }
  return tokens;
}

export const starts = () => [
  ["random", write({ tokens: shuffled(), owners: Array(CELLS).fill(null), turn: "b", last: "-" })],
];

export function read(line) {
  const [tokenText, ownerText, turn, last] = line.trim().split(/\s+/);
  const rows = tokenText?.split("/") ?? [];
  const owned = ownerText?.split("/") ?? [];
  if (rows.length !== ROWS.length || owned.length !== ROWS.length) return null;
  const tokens = Array(CELLS).fill("--");
  const owners = Array(CELLS).fill(null);
  TOP_DOWN.forEach((row, index) => {
    const cells = rowCells(row);
    rows[index].match(/../g)?.forEach((token, at) => {
      if (cells[at] !== undefined) tokens[cells[at]] = token;
    });
    let at = 0;
    for (const sign of owned[index]) {
      if (/\d/.test(sign)) at += Number(sign);
      else owners[cells[at++]] = sign;
    }
  });
  return { tokens, owners, turn, last };
}

export function write({ tokens, owners, turn, last }) {
  const tokenText = TOP_DOWN.map((row) =>
    rowCells(row)
      .map((cell) => tokens[cell])
      .join(""),
  ).join("/");
  const ownerText = TOP_DOWN.map((row) =>
    rowCells(row)
      .map((cell) => owners[cell] ?? "1")
      .join("")
      .replace(/1+/g, (free) => String(free.length)),
  ).join("/");
  return [tokenText, ownerText, turn, last].join(" ");
}

export function scene({ tokens, owners, last }) {
  const hexagons = owners.map((owner, cell) => [cell, owner === null ? 0 : owner === "b" ? 1 : 2]);
  const placed = TOKENS.map((token) => [tokens.indexOf(token), 0]);
  const to =
    Array.from({ length: CELLS }, (_, cell) => cell).find((cell) => cellName(cell) === last) ??
    null;
  return { pieces: [...hexagons, ...placed], from: null, to, called: null };
}

export const fields = [
  {
    name: "turn",
    values: [
      ["b", "black"],
      ["w", "white"],
    ],
  },
];

const set = (owner) => (model, cell) => {
  model.owners[cell] = owner;
  if (owner === null && model.last === cellName(cell)) model.last = "-";
};

export const tools = [
  { name: "hexagon.b", apply: set("b") },
  { name: "hexagon.w", apply: set("w") },
  { name: "hexagon.none", apply: set(null) },
  {
    name: "last",
    apply: (model, cell) => {
      model.last = model.last === cellName(cell) ? "-" : cellName(cell);
    },
  },
];

/** Swaps two tokens. */
export function move(model, from, to) {
  const { tokens } = model;
  [tokens[from], tokens[to]] = [tokens[to], tokens[from]];
}

export const movable = () => Array.from({ length: CELLS }, (_, cell) => cell);
