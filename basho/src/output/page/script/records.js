
// The games: what the lists need of each is in the index; record, sheet and moves are packed, some games together.

const { variant, names, chunk: chunkSize, games, openings, places: happenings } = JSON.parse(byId("index").textContent);
const NOBODY = 2;

async function unpack(number) {
  const packed = Uint8Array.from(atob(byId(`chunk-${number}`).textContent), (character) => character.charCodeAt(0));
  const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  return text.split("\n");
}

const chunks = new Map();

/** The texts of the game at a place of the list: its record and its replay. */
async function textsOf(place, unpacked = chunks) {
  const number = Math.floor(place / chunkSize);
  if (!unpacked.has(number)) unpacked.set(number, unpack(number));
  const lines = await unpacked.get(number);
  return lines.slice(2 * (place % chunkSize)).slice(0, 2);
}

/** What one ply changes, a number a character: turn, called place, places left and gone to; piece, place and look of each piece. */
const changeOf = (text) => Array.from(text, (character) => character.charCodeAt(0) - 41);

/** Black's chance in permille, and the score, that came with a move. */
function saidOf(text) {
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
    said: replay.said.split(",").map(saidOf),
    falls: new Map(replay.falls.map((fall) => [fall.ply, fall])),
    body: bodyOf(replay.sheet),
  };
}

/** The lines of a score sheet under its headers: the names of the plies in a row, or words. */
function bodyOf(sheet) {
  const lines = sheet.split("\n");
  const rows = lines.slice(lines.indexOf("") + 1).filter((line) => line !== "");
  const cells = (line) => line.split("|").map((cell) => cell.trim());
  return rows
    .map((line) => (line.includes("|") ? { number: cells(line)[0], plies: cells(line).slice(1) } : { words: line }))
    .filter((row) => row.words || row.number);
}

/** Records as basho wrote them, or score sheets, of the games at these places. */
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
