// Reads a certificate of the simple game and plays from it.

/** Returns the moves by position and the claimed winners by position. */
export function parse(text) {
  const [moves, claims] = [new Map(), new Map()];
  const key = (fields) => fields.slice(0, 3).join(" ");
  for (const line of text.trimEnd().split("\n").slice(1)) {
    const words = line.split(" ");
    if (words[0] === "win") claims.set(key(words.slice(2)), words[1]);
    else moves.set(key(words), words.at(-1));
  }
  return { moves, claims };
}

/** The certificate's move, or null if it does not cover the position. */
export function answer({ moves, claims }, round) {
  const legal = round.moves();
  const given = moves.get(round.key());
  return (
    legal.find((move) => move.next.winner === round.turn) ??
    (legal.length === 1 ? legal[0] : undefined) ??
    legal.find((move) => move.text === given) ??
    legal.find((move) => claims.get(move.next.key()) === round.turn) ??
    null
  );
}
