// The games. The index holds the data of the lists; records, sheets and moves are compressed in
// chunks.

const {
  variant,
  names,
  chunk: chunkSize,
  games,
  openings,
  places: eventRows,
} = JSON.parse(byId("index").textContent);
const NO_PLAYER = 2;

async function unpack(number) {
  const packed = Uint8Array.from(atob(byId(`chunk-${number}`).textContent), (character) =>
    character.charCodeAt(0),
  );
  const text = await new Response(
    new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")),
  ).text();
  return text.split("\n");
}

const chunks = new Map();

/** The record and the replay of the game at a place of the index. */
async function textsOf(place, unpacked = chunks) {
  const number = Math.floor(place / chunkSize);
  if (!unpacked.has(number)) unpacked.set(number, unpack(number));
  const lines = await unpacked.get(number);
  return lines.slice(2 * (place % chunkSize)).slice(0, 2);
}

/**
 * Decodes the change of one ply, one number per character: turn; places called, left and reached;
 * then piece, place and level of each changed piece.
 */
const changeOf = (text) => Array.from(text, (character) => character.charCodeAt(0) - 41);

/** Decodes Black's chance in permille and the score reported with a move. */
function scoreOf(text) {
  const [, chance, score] = /^(\d+)(.*)$/.exec(text) ?? [];
  return chance === undefined ? null : { chance: Number(chance), score };
}

async function load(place) {
  const [record, replay] = (await textsOf(place)).map((text) => JSON.parse(text));
  const plies = replay.plies === "" ? [] : replay.plies.split(" ").map(changeOf);
  return {
    ...record,
    ...replay,
    start: changeOf(replay.start),
    plies,
    scores: replay.said.split(",").map(scoreOf),
    drops: new Map(replay.falls.map((drop) => [drop.ply, drop])),
    body: bodyOf(replay.sheet),
  };
}

/** The rows of a score sheet below its headers: names of plies, or a line of text. */
function bodyOf(sheet) {
  const lines = sheet.split("\n");
  const rows = lines.slice(lines.indexOf("") + 1).filter((line) => line !== "");
  const cells = (line) => line.split("|").map((cell) => cell.trim());
  return rows
    .map((line) =>
      line.includes("|")
        ? { number: cells(line)[0], plies: cells(line).slice(1) }
        : { words: line },
    )
    .filter((row) => row.words || row.number);
}

/** The records or score sheets of the games at these places. */
async function textOf(places, isSheets) {
  const unpacked = new Map();
  const parts = [];
  for (const place of places) {
    const [record, replay] = await textsOf(place, unpacked);
    if (isSheets) parts.push(parts.length ? "\n" : "", JSON.parse(replay).sheet);
    else parts.push(record, "\n");
  }
  return parts;
}
