// What this tab knows and shows. Who changes something of it tells so; who shows it listens.

export const state = {
  /** What the server can do. */
  welcome: null,
  /** The list of all games. */
  games: [],
  /** The game on the board, a Tree. */
  game: null,
  /** The node that is shown. */
  at: null,
  /** Whether the board follows the game as it goes on. */
  follows: true,
  /** The side whose engine thinks, and what it says. */
  thinking: null,
  /** The last analysis of the node that is shown. */
  analysis: null,
};

const listeners = new Map();

/** Topics: `welcome` `games` `game` `gone` `tree` `view` `head` `thinking` `analysis` `review` `settings` `language`. */
export function on(topic, listener) {
  for (const name of topic.split(" ")) listeners.set(name, [...(listeners.get(name) ?? []), listener]);
}

export function tell(topic, value) {
  for (const listener of listeners.get(topic) ?? []) listener(value);
}

/** The node that is shown. */
export const current = () => state.game?.get(state.at);

/** Shows another node. A `glide` lets the pieces move there. */
export function goTo(id, { glide = true, byHand = true } = {}) {
  const { game } = state;
  if (!game?.get(id) || id === state.at) return;
  if (byHand) state.follows = id === game.head;
  const near = game.get(id).parent === state.at || game.get(state.at)?.parent === id;
  state.at = id;
  if (state.analysis?.node !== id) state.analysis = null;
  tell("view", { glide: glide && near });
}

/** Whether a person plays on the game right now, and against whom values are a secret. */
export const isDuel = () =>
  state.game?.state === "playing" && state.game.players.some((player) => player.kind === "person") && state.game.players.some((player) => player.kind === "engine");

/** The variant of the game, as the server has introduced it. */
export const variantOf = (name) => state.welcome?.variants.find((variant) => variant.name === name);
