// The state of this tab, and the events that report its changes.

export const state = {
  /** The server's `welcome` message: variants, levels, engines. */
  welcome: null,
  /** All stored games. */
  games: [],
  /** The game on the board, a `Tree`. */
  game: null,
  /** The current node. */
  at: null,
  /** Whether the board follows the game to its head. */
  follows: true,
  /** The latest `thinking` message of the engine to move. */
  thinking: null,
  /** The latest analysis of the current node. */
  analysis: null,
};

const listeners = new Map();

/**
 * Registers a listener for space-separated topics: `welcome` `games` `game` `gone` `tree` `view`
 * `head` `thinking` `analysis` `arrows` `review` `settings` `language` `shown` `tournament`.
 */
export function on(topic, listener) {
  for (const name of topic.split(" "))
    listeners.set(name, [...(listeners.get(name) ?? []), listener]);
}

export function emit(topic, value) {
  for (const listener of listeners.get(topic) ?? []) listener(value);
}

export const current = () => state.game?.get(state.at);

/** Makes another node current. With `glide`, pieces glide to their new places. */
export function goTo(id, { glide = true, byHand = true } = {}) {
  const { game } = state;
  if (!game?.get(id) || id === state.at) return;
  if (byHand) state.follows = id === game.head;
  const near = game.get(id).parent === state.at || game.get(state.at)?.parent === id;
  state.at = id;
  if (state.analysis?.node !== id) state.analysis = null;
  emit("view", { glide: glide && near });
}

/** Whether a human player is playing against an engine right now. Evaluations are hidden then. */
export const isHumanVsEngine = () =>
  state.game?.state === "playing" &&
  state.game.players.some((player) => player.kind === "person") &&
  state.game.players.some((player) => player.kind === "engine");

export const variantOf = (name) => state.welcome?.variants.find((variant) => variant.name === name);
