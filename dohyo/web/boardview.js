// An interactive board. It knows places, pieces and the legal moves it is given, but no rules.

import { showScene } from "./board.js";
import { draw } from "./dom.js";
import { prefersReducedMotion } from "./settings.js";
import { middleOf, stageFrom, translation } from "./stage.js";
import { hasWord, word } from "./words.js";

/** Pointer movement in pixels that turns a press into a drag. */
const DRAG = 5;

/** The translated colour name of a square, from the letter drawn on it. */
function colourOf(place) {
  const key = `colour.${place.querySelector("text")?.textContent.toLowerCase()}`;
  return hasWord(key) ? word(key) : null;
}

export class BoardView {
  /**
   * Creates a board inside the element `host`. `onMove` receives the text of a move the user made.
   * `onPlace` receives a chosen place where no move starts or ends.
   */
  constructor(host, { onMove = () => {}, onPlace = () => {} } = {}) {
    this.host = host;
    this.onMove = onMove;
    this.onPlace = onPlace;
    this.legal = [];
    this.from = null;
    this.cursor = null;
    this.drag = null;
    this.text = null;
    host.addEventListener("pointerdown", (event) => this.#pointerDown(event));
    // Mouse clicks must not take the focus: the arrow keys still step through the game.
    host.addEventListener("mousedown", (event) => event.preventDefault());
    host.addEventListener("pointermove", (event) => this.#pointerMove(event));
    host.addEventListener("pointerup", (event) => this.#pointerUp(event));
    host.addEventListener("pointercancel", () => this.#cancelDrag());
    host.addEventListener("keydown", (event) => this.#keyDown(event));
    host.addEventListener("focusin", ({ target }) => {
      const place = target.closest?.("[data-place]");
      if (place) this.#moveCursor(Number(place.dataset.place));
    });
  }

  /** Draws an empty board from the text of a stage. */
  setStage(text, isFlipped) {
    if (this.text === text && this.isFlipped === isFlipped) return;
    Object.assign(this, { text, isFlipped, scene: null, drag: null });
    this.stage = stageFrom(text, isFlipped);
    const { element: svg, places } = this.stage;
    svg.setAttribute("role", "group");
    svg.querySelectorAll(":scope > title, :scope > desc").forEach((it) => it.remove());
    this.middles = new Map(
      [...places].map(([number, place]) => {
        const [x, y] = translation(place);
        const [dx, dy] = middleOf(place);
        return [Number(number), [x + dx, y + dy]];
      }),
    );
    const ring = svg.querySelector('[data-mark="called"] circle');
    const [mx, my] = middleOf(places.values().next().value);
    /** Offset of a piece's centre from the centre of its place. Towers stand slightly lower. */
    this.stand = ring
      ? [Number(ring.getAttribute("cx")) - mx, Number(ring.getAttribute("cy")) - my]
      : [0, 0];
    const firstPiece = svg.querySelector("[data-piece]");
    this.under = draw("g", { class: "under" });
    svg.insertBefore(this.under, firstPiece);
    this.over = draw("g", { class: "over" });
    this.arrowsAt = draw("g", { class: "arrows" });
    svg.append(this.over, this.arrowsAt);
    for (const place of places.values()) {
      place.setAttribute("role", "button");
      place.setAttribute("tabindex", "-1");
    }
    this.#moveCursor(this.cursor !== null && this.middles.has(this.cursor) ? this.cursor : 0);
    this.host.replaceChildren(svg);
  }

  /**
   * Shows a scene and returns whether it differs from the previous one. Pieces glide if `glide` is
   * set. The same scene again does not interrupt a drag.
   */
  show(scene, { glide = true } = {}) {
    const { element: svg } = this.stage;
    if (JSON.stringify(this.scene) === JSON.stringify(scene)) return false;
    this.#cancelDrag();
    this.scene = scene;
    svg.classList.toggle("still", !glide);
    showScene(this.stage, scene);
    // Force a layout, so that the pieces are in place before the next change.
    if (!glide) svg.getBoundingClientRect();
    this.#updateLabels();
    return true;
  }

  /**
   * Sets the legal moves as `[move, from, to]` with places or null. If only one piece can move, it
   * is selected. With `isAgain`, the user's selection is kept; `isQuiet` hides the markers.
   */
  offer(legal, { isQuiet = false, isAgain = false } = {}) {
    this.isQuiet = isQuiet;
    this.legal = legal.filter(([, , to]) => to !== null && to !== undefined);
    const origins = new Set(this.legal.map(([, from]) => from));
    this.home = origins.size === 1 && !origins.has(null) ? [...origins][0] : null;
    if (!isAgain || !origins.has(this.from)) this.from = this.home;
    this.#mark();
    this.#updateLabels();
  }

  /**
   * Draws arrows for moves: `[from, to, weight 0..1, class]`. A move without an origin is a ring.
   */
  arrows(arrows) {
    this.arrowsAt.replaceChildren(...arrows.map((arrow) => this.#arrow(arrow)).reverse());
  }

  /** Shakes a blocked tower. */
  shake(place) {
    const piece = this.pieceAt(place);
    const ring = this.#spot(place, "blocked");
    this.over.append(ring);
    setTimeout(() => ring.remove(), 900);
    if (!piece || prefersReducedMotion()) return;
    piece.animate(
      [0, -5, 5, -4, 4, 0].map((dx) => ({ translate: `${dx}px 0` })),
      { duration: 420 },
    );
  }

  /** The topmost piece at a place, or null. */
  pieceAt(place) {
    const number = this.scene?.pieces.findLastIndex(
      ([at, level], piece) => at === place && (level > 0 || this.#isPlain(piece)),
    );
    return number >= 0 ? this.stage.pieces.get(String(number)) : null;
  }

  /** Whether the piece is visible at level 0. It is if it has shapes outside its levels. */
  #isPlain(number) {
    const piece = this.stage.pieces.get(String(number));
    return [...(piece?.children ?? [])].some(
      (child) => child.tagName !== "title" && child.dataset.level === undefined,
    );
  }

  /** Selects the piece at a place, like a click. */
  choose(place) {
    if (this.from !== place) this.#choose(place);
  }

  focus() {
    this.stage?.places.get(String(this.cursor))?.focus();
  }

  #mark() {
    const chosen = this.from;
    const targets = this.isQuiet ? [] : this.legal.filter(([, from]) => (from ?? null) === chosen);
    const marks = targets.map(([, from, to]) => {
      const [cx, cy] = this.middles.get(to);
      return this.pieceAt(to) === null
        ? draw("circle", { class: "target", cx, cy, r: 9 })
        : this.#spot(to, from === null ? "target drop" : "target ring");
    });
    const cells = targets
      .filter(([, from]) => from === null)
      .map(([, , to]) => this.#cell(to, "target-cell"));
    this.over.replaceChildren(...marks, ...this.over.querySelectorAll(".blocked"));
    const free =
      this.home === null && chosen === null && !this.isQuiet
        ? new Set(this.legal.map(([, from]) => from))
        : new Set();
    const held = chosen !== null ? [chosen] : [];
    this.under.replaceChildren(
      ...cells,
      ...[...free].filter((from) => from !== null).map((from) => this.#spot(from, "may")),
      ...held.map((from) => this.#spot(from, "held")),
    );
    const movable = new Set(this.legal.map(([, from]) => from));
    for (const piece of this.stage.pieces.values()) piece.classList.remove("movable");
    for (const from of movable) if (from !== null) this.pieceAt(from)?.classList.add("movable");
    this.host.classList.toggle("playable", this.legal.length > 0);
  }

  #spot(place, kind) {
    const [cx, cy] = this.middles.get(place) ?? [0, 0];
    return draw("circle", { class: kind, cx: cx + this.stand[0], cy: cy + this.stand[1], r: 25 });
  }

  /** A copy of a place's shape, used to highlight it. */
  #cell(place, kind) {
    const element = this.stage.places.get(String(place));
    const shape = element.querySelector("rect, path").cloneNode();
    for (const name of ["fill", "stroke", "stroke-width"]) shape.removeAttribute(name);
    return draw("g", { class: kind, transform: element.getAttribute("transform") }, shape);
  }

  #arrow([from, to, weight, kind]) {
    const [x2, y2] = this.middles.get(to) ?? [0, 0];
    if (from === null || from === undefined) {
      return draw("circle", {
        class: `arrow drop ${kind}`,
        cx: x2,
        cy: y2,
        r: 24,
        "stroke-width": 3 + 5 * weight,
        opacity: 0.45 + 0.5 * weight,
      });
    }
    const [x0, y0] = this.middles.get(from) ?? [0, 0];
    const length = Math.hypot(x2 - x0, y2 - y0) || 1;
    const [ux, uy] = [(x2 - x0) / length, (y2 - y0) / length];
    // Start at the edge of the piece, so that the piece stays visible.
    const [x1, y1] = [x0 + 18 * ux, y0 + 18 * uy];
    const half = 2 + 5 * weight;
    const head = 8 + 11 * weight;
    const [bx, by] = [x2 - ux * head * 1.3, y2 - uy * head * 1.3];
    const point = (x, y, side) => `${(x - uy * side).toFixed(1)} ${(y + ux * side).toFixed(1)}`;
    const outline = [
      point(x1, y1, half),
      point(bx, by, half),
      point(bx, by, head),
      `${x2} ${y2}`,
      point(bx, by, -head),
      point(bx, by, -half),
      point(x1, y1, -half),
    ];
    const d = `M${outline.join("L")}z`;
    return draw("path", { class: `arrow ${kind}`, d, opacity: 0.45 + 0.45 * weight });
  }

  // Selection: a move is made as soon as its origin and target are known.

  #choose(place) {
    const move = this.legal.find(([, from, to]) => (from ?? null) === this.from && to === place);
    if (move) return this.#make(move);
    if (this.legal.some(([, from]) => from === place)) {
      this.from = this.from === place && this.home === null ? null : place;
    } else {
      this.from = this.home;
      this.onPlace(place);
    }
    this.#mark();
    this.#updateLabels();
  }

  #make([text, from, to], { glide = true } = {}) {
    this.offer([]);
    // Move the piece at once; the server sends the resulting position. A push also moves other
    // pieces, so it waits for the server.
    if (from !== null && this.pieceAt(to) === null) {
      const pieces = this.scene.pieces.map(([place, level]) => [
        place === from ? to : place,
        level,
      ]);
      this.show({ pieces, from, to, called: null }, { glide });
    }
    this.onMove(text);
  }

  // Pointer input.

  #position({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(
      this.stage.element.getScreenCTM().inverse(),
    );
    return [x, y];
  }

  #placeAt(event) {
    const [x, y] = this.#position(event);
    const near = ([, [cx, cy]]) => Math.max(Math.abs(cx - x), Math.abs(cy - y)) <= 30;
    const distance = ([, [cx, cy]]) => Math.hypot(cx - x, cy - y);
    const found = [...this.middles].filter(near).sort((a, b) => distance(a) - distance(b))[0];
    return found ? found[0] : null;
  }

  #pointerDown(event) {
    if (event.button !== 0 || !this.stage) return;
    const place = this.#placeAt(event);
    if (place === null) return;
    const piece = this.legal.some(([, from]) => from === place) ? this.pieceAt(place) : null;
    this.drag = {
      place,
      piece,
      start: [event.clientX, event.clientY],
      wasChosen: this.from === place,
      isMoving: false,
      pointer: event.pointerId,
    };
    if (piece && this.from !== place) this.#choose(place);
    else this.drag.wasChosen = Boolean(piece);
    if (piece) this.host.setPointerCapture(event.pointerId);
  }

  #pointerMove(event) {
    const { drag } = this;
    if (!drag?.piece || drag.pointer !== event.pointerId) return;
    const [x, y] = drag.start;
    if (!drag.isMoving && Math.hypot(event.clientX - x, event.clientY - y) < DRAG) return;
    if (!drag.isMoving) {
      drag.isMoving = true;
      drag.piece.classList.add("dragged");
      drag.home = drag.piece.getAttribute("transform");
      const place = this.stage.places.get(String(drag.place));
      drag.middle = middleOf(place);
    }
    const [px, py] = this.#position(event);
    drag.piece.setAttribute(
      "transform",
      `translate(${(px - drag.middle[0]).toFixed(1)} ${(py - drag.middle[1]).toFixed(1)})`,
    );
    this.#hover(this.#placeAt(event));
  }

  #pointerUp(event) {
    const { drag } = this;
    if (!drag || drag.pointer !== event.pointerId) return;
    const place = this.#placeAt(event);
    this.#cancelDrag();
    if (drag.isMoving) {
      const move = this.legal.find(([, from, to]) => from === drag.place && to === place);
      if (move) this.#make(move, { glide: false });
      return;
    }
    if (place === null || place !== drag.place) return;
    // The press that selected the tower does not also deselect it.
    if (!drag.piece || drag.wasChosen) this.#choose(place);
    this.#moveCursor(place);
  }

  /** Puts a dragged piece back. */
  #cancelDrag() {
    const { drag } = this;
    this.drag = null;
    this.#hover(null);
    if (!drag?.isMoving) return;
    drag.piece.classList.remove("dragged");
    drag.piece.setAttribute("transform", drag.home);
  }

  #hover(place) {
    this.over?.querySelector(".hover")?.remove();
    const isTarget =
      place !== null && this.legal.some(([, from, to]) => from === this.from && to === place);
    if (isTarget) this.over.prepend(this.#spot(place, "hover"));
  }

  // Keyboard input: the arrow keys move a cursor between places.

  #moveCursor(place) {
    if (!this.stage) return;
    this.stage.places.get(String(this.cursor))?.setAttribute("tabindex", "-1");
    this.cursor = place;
    this.stage.places.get(String(place))?.setAttribute("tabindex", "0");
  }

  #keyDown(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !event.target.closest("[data-place]"))
      return;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (way) {
      const next = this.#neighbour(way);
      if (next !== null) this.stage.places.get(String(next)).focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.#choose(this.cursor);
    } else if (event.key === "Escape" && this.from !== this.home) {
      this.from = this.home;
      this.#mark();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest place in a direction. Sideways distance counts more. */
  #neighbour([ux, uy]) {
    const [x, y] = this.middles.get(this.cursor);
    let best = [null, Infinity];
    for (const [place, [px, py]] of this.middles) {
      const [dx, dy] = [px - x, py - y];
      const along = dx * ux + dy * uy;
      const aside = Math.abs(dx * uy) + Math.abs(dy * ux);
      if (along > 1 && along + 1.2 * aside < best[1] && aside <= along + 1)
        best = [place, along + 1.2 * aside];
    }
    return best[0];
  }

  /** Updates the accessible name of every place. */
  #updateLabels() {
    if (!this.scene) return;
    this.stage.element.setAttribute("aria-label", word("board"));
    const targets = new Set(
      this.legal.filter(([, from]) => (from ?? null) === this.from).map(([, , to]) => to),
    );
    const origins = new Set(this.legal.map(([, from]) => from));
    for (const [number, place] of this.stage.places) {
      const at = Number(number);
      const parts = [place.dataset.name, colourOf(place), this.#pieceNames(at)];
      if (at === this.scene.called) parts.push(word("square.called"));
      if (targets.has(at)) parts.push(word("square.target"));
      else if (origins.has(at))
        parts.push(word(at === this.from ? "square.held" : "square.movable"));
      place.setAttribute("aria-label", parts.filter(Boolean).join(", "));
    }
  }

  #pieceNames(at) {
    const named = ([place, level], piece) => {
      const element = place === at && this.stage.pieces.get(String(piece));
      if (!element) return [];
      const look =
        element.querySelector(`[data-level="${level}"] > title`) ??
        (this.#isPlain(piece) ? element.querySelector(":scope > title") : null);
      return look
        ? [
            look.textContent +
              (level > 0 && !element.querySelector(`[data-level="${level}"] > title`)
                ? `, ${word("teeth", { n: level })}`
                : ""),
          ]
        : [];
    };
    return this.scene.pieces.flatMap(named).join(", ");
  }
}
