// The parts of the attention viewer, before anything is shown in them.

import { make } from "./tokens.js";

/**
 * The viewer's elements by their names.
 * @typedef {object} Frame
 * @property {HTMLElement} root
 * @property {HTMLElement} panels
 * @property {HTMLElement} opened
 * @property {HTMLTableElement} maps
 * @property {HTMLElement} title
 * @property {HTMLSelectElement} scale
 * @property {HTMLElement} legend
 * @property {HTMLElement} shades
 * @property {HTMLElement} darkest
 * @property {HTMLInputElement} numbers
 * @property {HTMLElement} said
 * @property {HTMLElement} queriesTitle
 * @property {HTMLElement} queries
 * @property {HTMLElement} keysTitle
 * @property {HTMLElement} keys
 * @property {HTMLTableElement} greatest
 * @property {HTMLCanvasElement} map
 * @property {HTMLElement} pointed
 */

/**
 * @param {import("./words.js").Translate} t
 * @returns {Frame}
 */
export function makeFrame(t) {
  const scale = make("select", { className: "scale" },
    ...["query", "map", "one"].map((value) =>
      make("option", { value, textContent: t(`attention.scale-${value}`) })));
  const numbers = make("input", { className: "numbers", type: "checkbox", checked: true });
  const shades = make("span", { className: "shades" });
  const darkest = make("span", { className: "darkest" });
  const legend = make("span", { className: "legend" }, make("span", {}, "0"), shades, darkest);
  const said = make("p", { className: "said" });
  said.role = "status";
  const map = make("canvas", { className: "map", ariaLabel: t("attention.map") });
  map.role = "img";
  const frame = {
    panels: make("div", { className: "panels" }),
    opened: make("p", { className: "opened" }),
    maps: make("table", { className: "maps", ariaLabel: t("attention.layers-and-heads") }),
    title: make("h2"),
    scale,
    legend,
    shades,
    darkest,
    numbers,
    said,
    queriesTitle: make("h3", {}, t("attention.queries")),
    queries: make("div", { className: "queries" }),
    keysTitle: make("h3", {}, t("attention.keys")),
    keys: make("div", { className: "keys" }),
    greatest: make("table", { className: "greatest", ariaLabel: t("attention.greatest") }),
    map,
    pointed: make("p", { className: "pointed hint" }, t("attention.point-at-map")),
  };
  const controls = make("div", { className: "controls" },
    make("label", {}, `${t("attention.scale")} `, scale),
    legend,
    make("label", {}, numbers, ` ${t("attention.numbers")}`));
  const root = make("div", { className: "attention" },
    frame.panels,
    frame.opened,
    make("div", { className: "parts" },
      make("section", { ariaLabel: t("attention.layers-and-heads") },
        make("h2", {}, t("attention.layers-and-heads")),
        make("p", { className: "hint" }, t("attention.maps-hint")),
        make("div", { className: "scrolls" }, frame.maps)),
      make("section", { className: "wide", ariaLabel: t("attention.tokens") },
        frame.title,
        make("p", { className: "hint" }, t("attention.tokens-hint")),
        controls, said,
        frame.queriesTitle, frame.queries, frame.keysTitle, frame.keys),
      make("section", { ariaLabel: t("attention.greatest") },
        make("h2", {}, t("attention.greatest")), frame.greatest,
        make("h2", {}, t("attention.map")), map, frame.pointed)));
  return { root, ...frame };
}
