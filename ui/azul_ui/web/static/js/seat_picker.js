/** Who sits in one seat of a new game. */

import { freshId, h } from "./dom.js";
import { capital } from "./words.js";

/** @typedef {import("./types.js").Catalog} Catalog */
/**
 * @typedef {{
 *   kind: "human" | "level" | "agent" | "own", name: string, person?: string, options?: Record<string, string>
 * }} SeatChoice
 */

export class SeatPicker {
  /**
   * @param {Catalog} catalog
   * @param {number} seat
   * @param {SeatChoice} choice
   */
  constructor(catalog, seat, choice) {
    this.catalog = catalog;
    this.seat = seat;
    /** @type {Record<string, string>} */
    this.options = choice.options ?? {};
    const id = freshId("seat");
    this.who = h("select", { id, onchange: () => this.refresh() },
      h("option", { value: "human human" }, "A person"),
      h("optgroup", { label: "Levels" }, catalog.levels.map((level) =>
        h("option", { value: `level ${level.name}` }, `${capital(level.name)}${level.rating ? `, ${level.rating}` : ""}`))),
      catalog.own.length ? h("optgroup", { label: "Your agents" }, catalog.own.map((own) =>
        h("option", { value: `own ${own.name}` }, own.spec))) : null,
      h("optgroup", { label: "Agents" }, catalog.agents.map((agent) =>
        h("option", { value: `agent ${agent.name}` }, agent.name))));
    this.who.value = `${choice.kind} ${choice.name}`;
    this.person = h("input", { type: "text", maxlength: 24, placeholder: "Name", "aria-label": `Name of seat ${seat + 1}`, value: choice.person ?? "" });
    this.description = h("p", { class: "small muted" });
    this.fields = h("div", { class: "row option-fields" });
    this.root = h("li", { class: "seat-row" },
      h("span", { class: `seat-badge seat-${seat}`, "aria-hidden": "true" }, seat + 1),
      h("div", { class: "seat-fields" },
        h("div", { class: "row" }, h("label", { class: "visually-hidden", for: id }, `Seat ${seat + 1}`), this.who, this.person),
        this.description, this.fields));
    this.refresh();
  }

  refresh() {
    const { kind, name } = this.choice();
    this.person.hidden = kind !== "human";
    const level = this.catalog.levels.find((each) => each.name === name);
    const agent = this.catalog.agents.find((each) => each.name === name);
    this.description.textContent = kind === "level" ? sentence(level?.description) : kind === "agent" ? sentence(agent?.summary) : "";
    this.description.hidden = !this.description.textContent;
    const options = kind === "agent" ? agent?.options ?? [] : [];
    this.fields.replaceChildren(...options.map((option) => {
      const id = freshId("option");
      return h("div", { class: "field", title: option.doc },
        h("label", { for: id }, option.name),
        h("input", {
          id,
          "aria-description": option.doc,
          max: option.most ?? null,
          type: "number",
          min: 0,
          step: option.type === "integer" ? 1 : "any",
          value: this.options[option.name] ?? "",
          placeholder: option.default ?? "none",
          oninput: (/** @type {Event} */ event) => {
            this.options[option.name] = /** @type {HTMLInputElement} */ (event.target).value;
          },
        }));
    }));
  }

  /** @returns {SeatChoice} */
  choice() {
    const [kind, name] = this.who.value.split(" ");
    return { kind: /** @type {SeatChoice["kind"]} */ (kind), name, person: this.person.value, options: this.options };
  }

  isValid() {
    return [...this.fields.querySelectorAll("input")].every((input) => input.reportValidity());
  }

  /** The seat as POST /api/games takes it. */
  spec() {
    const { kind, name } = this.choice();
    if (kind !== "agent") return name;
    const agent = this.catalog.agents.find((each) => each.name === name);
    const given = (agent?.options ?? []).filter((option) => this.options[option.name]);
    return given.length ? `${name}:${given.map((option) => `${option.name}=${this.options[option.name]}`).join(",")}` : name;
  }
}

/** @param {string} [words] */
function sentence(words) {
  return words ? `${capital(words)}.` : "";
}
