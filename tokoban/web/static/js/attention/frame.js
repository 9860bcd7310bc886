// The parts of the attention viewer, before anything is shown in them.

import { el } from "../shell/el.js";

/**
 * The viewer's elements by their names.
 * @param {import("./words.js").Translate} t
 */
export function makeFrame(t) {
  const scale = el("select", { class: "scale" },
    ...["query", "map", "one"].map((value) =>
      el("option", { value }, t(`attention.scale-${value}`))));
  const numbers = el("input", { class: "numbers", type: "checkbox", checked: true });
  const shades = el("span", { class: "shades" });
  const darkest = el("span", { class: "darkest" });
  const legend = el("span", { class: "legend" }, el("span", {}, "0"), shades, darkest);
  const said = el("p", { class: "said", role: "status" });
  const map = el("canvas", { class: "map", role: "img", "aria-label": t("attention.map") });
  const frame = {
    panels: el("div", { class: "panels" }),
    maps: el("table", { class: "maps", "aria-label": t("attention.layers-and-heads") }),
    title: el("h2"),
    scale,
    legend,
    shades,
    darkest,
    numbers,
    said,
    queriesTitle: el("h3", {}, t("attention.queries")),
    queries: el("div", { class: "queries" }),
    keysTitle: el("h3", {}, t("attention.keys")),
    keys: el("div", { class: "keys" }),
    greatest: el("table", { class: "greatest", "aria-label": t("attention.greatest") }),
    map,
    pointed: el("p", { class: "pointed hint" }, t("attention.point-at-map")),
  };
  const controls = el("div", { class: "controls" },
    el("label", {}, `${t("attention.scale")} `, scale),
    legend,
    el("label", {}, numbers, ` ${t("attention.numbers")}`));
  const root = el("div", { class: "attention" },
    frame.panels,
    el("div", { class: "parts" },
      el("section", { "aria-label": t("attention.layers-and-heads") },
        el("h2", {}, t("attention.layers-and-heads")),
        el("p", { class: "hint" }, t("attention.maps-hint")),
        el("div", { class: "scrolls" }, frame.maps)),
      el("section", { class: "wide", "aria-label": t("attention.tokens") },
        frame.title,
        el("p", { class: "hint" }, t("attention.tokens-hint")),
        controls, said,
        frame.queriesTitle, frame.queries, frame.keysTitle, frame.keys),
      el("section", { "aria-label": t("attention.greatest") },
        el("h2", {}, t("attention.greatest")), frame.greatest,
        el("h2", {}, t("attention.map")), map, frame.pointed)));
  return { root, ...frame };
}
