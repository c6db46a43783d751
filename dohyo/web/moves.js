// The move list: two columns for the main line, with variations and notes between the rows.

import { can } from "./commands.js";
import { byId, make, markCurrent, oncePerFrame, scrollWithin } from "./dom.js";
import { icon } from "./icons.js";
import { settings } from "./settings.js";
import { goTo, isHumanVsEngine, on, state } from "./state.js";
import { percent, reasonOf, side, word } from "./words.js";

const sheet = byId("sheet");

/** Annotation symbols of marked moves. */
export const SIGNS = { thrown: "??", missed: "×", mistake: "?", dubious: "?!" };

const nameOf = (node) => (settings.notation === "words" ? node.name : (node.symbol ?? node.name));

function moveButton(id) {
  const node = state.game.get(id);
  const mark = state.game.marks[id];
  const chance = isHumanVsEngine() ? null : state.game.evals[id];
  return make(
    "button",
    {
      type: "button",
      class: `move ${mark ? `mark-${mark.kind}` : ""}`,
      data: { node: id },
      title: node.name,
      "aria-current": id === state.at ? "true" : null,
    },
    make("span", { class: "name", text: nameOf(node) }),
    mark
      ? make("span", { class: "sign", text: SIGNS[mark.kind], title: word(`mark.${mark.kind}`) })
      : null,
    chance && settings.notation === "symbols"
      ? make("small", { text: percent(chance.black), title: word("chance.black") })
      : null,
  );
}

/** The elements of a variation. Its own variations follow in brackets. */
function variation(id) {
  const { game } = state;
  const parts = [];
  let next = id;
  let isFirst = true;
  while (next !== undefined) {
    const turn = game.moverOf(next);
    if (isFirst || game.moverOf(game.get(next).parent) === turn)
      parts.push(make("span", { class: `disc small disc-${turn}`, title: side(turn) }));
    parts.push(moveButton(next));
    const siblings = isFirst ? [] : game.childrenOf(game.get(next).parent).slice(1);
    for (const sibling of siblings)
      parts.push(make("span", { class: "branch" }, "(", ...variation(sibling), ")"));
    isFirst = false;
    next = game.childrenOf(next)[0];
  }
  return parts;
}

const renderSoon = oncePerFrame(render);
/** Runs in the same frame as `render`, so that the list never lacks its current move. */
const showCurrentSoon = oncePerFrame(showCurrent);

function render() {
  const { game } = state;
  if (!game) return;
  const rows = [];
  let row = null;
  const wide = (kind, ...children) => {
    rows.push(make("div", { class: `wide ${kind}` }, ...children));
    row = null;
  };
  const hasRounds = game.get(game.root).points !== null && game.get(game.root).points !== undefined;
  let round = null;
  const main = game.lineThrough(game.root);
  const numbers = game.numbersOf(main);
  main.forEach((id, index) => {
    const node = game.get(id);
    if (index > 0) {
      const turn = game.moverOf(id);
      const { number } = numbers.get(id);
      // A variation or note between the two moves of a pair starts a second row with the same
      // number.
      if (row?.number !== number) {
        row = {
          number,
          element: make(
            "div",
            { class: "pair" },
            make("span", { class: "number", text: String(number) }),
            make("span"),
            make("span"),
          ),
        };
        rows.push(row.element);
      }
      row.element.children[turn + 1].append(moveButton(id));
      for (const note of node.notes ?? []) wide("note", note);
      for (const sibling of game.childrenOf(node.parent).slice(1))
        wide("variation", ...variation(sibling));
    }
    if (hasRounds && node.round !== round && !node.end && !node.refills) {
      round = node.round;
      wide(
        "round",
        make("span", { text: word("round", { n: round }) }),
        make("span", { class: "muted", text: node.points.join("–") }),
      );
    }
  });
  if (main.length === 1) wide("muted empty", word("moves.none"));
  const end = game.get(main.at(-1)).end;
  if (!end && game.state === "over") wide("note", `${game.result ?? ""} ${reasonOf(game.reason)}`);
  sheet.replaceChildren(...rows);
  showCurrent();
}

function showCurrent() {
  for (const button of sheet.querySelectorAll("[aria-current]")) markCurrent(button, false);
  const button = sheet.querySelector(`[data-node="${state.at}"]`);
  markCurrent(button, true);
  sheet.querySelector(".branch-tools")?.remove();
  if (!button) {
    sheet.scrollTop = 0;
    return;
  }
  const isBranch = button.closest(".variation");
  if (isBranch) {
    const tool = (name, sign) =>
      make(
        "button",
        {
          type: "button",
          class: "plain",
          data: { do: name },
          disabled: !can(name),
          "aria-label": word(`do.${name}`),
          title: word(`do.${name}`),
        },
        icon(sign),
      );
    isBranch.append(
      make("span", { class: "branch-tools" }, tool("promote", "up"), tool("prune", "bin")),
    );
  }
  scrollWithin(sheet, button);
}

sheet.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-node]");
  if (!button) return;
  state.isOwnMove = false;
  const [id] = [...state.game.nodes.keys()].filter((key) => String(key) === button.dataset.node);
  goTo(id);
});

on("tree review language", renderSoon);
on("settings", (changes) => "notation" in changes && renderSoon());
// The result is the last note; a takeback removes it.
on("head", renderSoon);
on("view", showCurrentSoon);
