/** A drawing whose sources and spaces can be edited by mouse, touch or keys. */

/** @typedef {import("./board.js").BoardView} BoardView */
/**
 * A place on the board: a source, or a space of a line, wall or floor.
 *
 * @typedef {{kind: "source" | "line" | "wall" | "floor", numbers: number[], color: string | null, letter: string}} Place
 */

/**
 * Make every place of a drawing a button.
 *
 * @param {BoardView} view
 * @param {(place: Place, isErasing: boolean) => void} onEdit
 */
export function makeEditable(view, onEdit) {
  for (const part of [view.table, ...view.parts]) {
    const places = [...part.querySelectorAll(".source, [data-cell]")];
    places.forEach((element, index) => {
      const place = placeOf(element);
      if (!place) return;
      element.classList.add("editable");
      element.setAttribute("role", "button");
      element.setAttribute("tabindex", index === 0 ? "0" : "-1");
      element.setAttribute("aria-label", placeWords(place));
      /** @param {Event} event @param {boolean} isErasing */
      const edit = (event, isErasing) => {
        event.preventDefault();
        const tile = /** @type {Element} */ (event.target).closest("[data-color]");
        onEdit({ ...place, color: tile?.getAttribute("data-color") ?? place.color }, isErasing);
      };
      element.addEventListener("click", (event) => edit(event, /** @type {MouseEvent} */ (event).shiftKey));
      element.addEventListener("contextmenu", (event) => edit(event, true));
      element.addEventListener("keydown", (event) => onKey(/** @type {KeyboardEvent} */ (event), places, index, edit));
    });
  }
}

/**
 * Focus the place with these words again after the drawing was replaced.
 *
 * @param {BoardView} view
 * @param {string | null} label
 */
export function focusPlace(view, label) {
  if (!label) return;
  const found = [...view.root.querySelectorAll(".editable")].find((element) => element.getAttribute("aria-label") === label);
  if (!found) return;
  found.closest("svg")?.querySelector(".editable[tabindex='0']")?.setAttribute("tabindex", "-1");
  found.setAttribute("tabindex", "0");
  /** @type {SVGElement} */ (found).focus({ preventScroll: true });
}

/**
 * @param {KeyboardEvent} event
 * @param {Element[]} places
 * @param {number} index
 * @param {(event: Event, isErasing: boolean) => void} edit
 */
function onKey(event, places, index, edit) {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 5, ArrowUp: -5 }[event.key];
  if (event.key === "Enter" || event.key === " ") {
    edit(event, event.shiftKey);
  } else if (event.key === "Delete" || event.key === "Backspace") {
    edit(event, true);
  } else if (step) {
    const next = places[Math.max(0, Math.min(places.length - 1, index + step))];
    places[index].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    /** @type {SVGElement} */ (next).focus();
    event.preventDefault();
  } else {
    return;
  }
  event.stopPropagation();
}

/**
 * @param {Element} element
 * @returns {Place | null}
 */
function placeOf(element) {
  const source = element.getAttribute("data-source");
  if (source !== null) {
    const count = element.closest("svg")?.querySelectorAll(".source").length ?? 0;
    const isCenter = Number(source) === count - 1;
    return { kind: "source", numbers: [Number(source), Number(isCenter)], color: null, letter: "" };
  }
  const [kind, ...numbers] = (element.getAttribute("data-cell") ?? "").split(" ");
  if (kind !== "line" && kind !== "wall" && kind !== "floor") return null;
  const letter = element.getAttribute("href")?.at(-1) ?? "";
  return { kind, numbers: numbers.map(Number), color: element.getAttribute("data-color"), letter };
}

/** @param {Place} place */
function placeWords({ kind, numbers }) {
  const [first, second, third] = numbers;
  if (kind === "source") return second ? "Center" : `Factory ${first}`;
  if (kind === "floor") return `Player ${first + 1}, floor, slot ${second + 1}`;
  return `Player ${first + 1}, ${kind} ${second}, column ${third + 1}`;
}
