// The attention viewer: point at a token, and see which tokens it attends to, in every head.

import { el } from "../shell/el.js";
import { makeFrame } from "./frame.js";
import { choicesOf, colourOf, indexAt, paintMap } from "./maps.js";
import { goByKey, layTokens } from "./tokens.js";
import { AttentionWeights, ROLLOUT, greatest } from "./weights.js";
import { describe, nameOf, rounded, short } from "./words.js";

const MOST_BUTTONS = 8; // of panels; more of them are gone through by a slider
const NUM_GREATEST = 10;
const MAP_SIZE = 64; // pixels of a small map
const MAP_SIDE = 46; // of it on the screen
const LARGE_MAP_SIZE = 1024;
const LARGE_MAP_SIDE = 320;

/** Shows panels of attention in an element until `dispose` is called. */
export class AttentionViewer {
  /**
   * @param {HTMLElement} element
   * @param {import("./weights.js").PanelData[]} panels
   * @param {import("./words.js").Translate} t
   */
  constructor(element, panels, t) {
    this.t = t;
    /** @type {AttentionWeights[]} */
    this.panels = [];
    this.panel = new AttentionWeights(panels[0]);
    const { query, ...choice } = this.panel.start;
    /** @type {import("./weights.js").Choice} */
    this.choice = choice;
    this.query = query;
    /** @type {number | null} a query that pointing elsewhere does not change */
    this.held = null;
    /** @type {HTMLElement[]} */
    this.queryTokens = [];
    /** @type {HTMLElement[]} */
    this.keyTokens = [];
    /** @type {{button: HTMLButtonElement, choice: import("./weights.js").Choice}[]} */
    this.maps = [];
    this.mapGreatest = 1;
    this.frame = makeFrame(t);
    element.append(this.frame.root);
    this.listeners = new AbortController();
    this.listen(this.listeners.signal);
    this.show(panels);
  }

  /** Leaves the element as it was. */
  dispose() {
    this.listeners.abort();
    this.frame.root.remove();
  }

  /**
   * Shows other panels, at the place shown before if they have it.
   * @param {import("./weights.js").PanelData[]} panels
   */
  show(panels) {
    const [before, index] = [this.panel, this.panels.indexOf(this.panel)];
    const isSame = this.panels.length === panels.length;
    this.panels = panels.map((data) => new AttentionWeights(data));
    const panel = (isSame && this.panels[index]) || this.panels[0];
    this.choosePanel(panel, isSame && panel.hasHeadsOf(before));
    this.showPanels();
  }

  showPanels() {
    const place = this.frame.panels;
    place.replaceChildren();
    if (this.panels.length === 1) return;
    if (this.panels.length <= MOST_BUTTONS) {
      const show = (/** @type {AttentionWeights} */ chosen) => {
        this.panels.forEach((panel, i) => { buttons[i].ariaPressed = String(panel === chosen); });
        this.choosePanel(chosen);
      };
      const buttons = this.panels.map((panel) =>
        el("button", {
          type: "button", "aria-pressed": String(panel === this.panel), onclick: () => show(panel),
        }, panel.name));
      place.append(...buttons);
      return;
    }
    const name = el("output", {}, this.panel.name);
    const most = String(this.panels.length - 1);
    const slider = el("input", {
      type: "range", min: "0", max: most, "aria-label": this.t("attention.panel"),
      value: String(this.panels.indexOf(this.panel)),
    });
    slider.addEventListener("input", () => {
      const panel = this.panels[Number(slider.value)];
      name.textContent = slider.ariaValueText = panel.name;
      this.choosePanel(panel);
    });
    place.append(slider, name);
  }

  /**
   * The same place in another step of a game; another place where the tokens are others.
   * @param {AttentionWeights} panel
   * @param {boolean} [isStep]
   */
  choosePanel(panel, isStep = panel.hasShapeOf(this.panel)) {
    const { query, ...choice } = panel.start;
    const isKept = isStep && (this.choice.layer !== ROLLOUT || panel.hasRollout);
    if (!isKept) this.choice = choice;
    if (!isKept || panel.numQueries !== this.panel.numQueries) this.query = query;
    this.panel = panel;
    this.held = null;
    const { queries, queriesTitle, keys, keysTitle } = this.frame;
    for (const part of [queriesTitle, keysTitle, keys]) part.hidden = panel.isSelf;
    this.queryTokens = layTokens(queries, panel.queries, { isAsked: true, t: this.t });
    this.keyTokens = panel.isSelf
      ? this.queryTokens
      : layTokens(keys, panel.keys, { isAsked: false, t: this.t });
    this.repaint();
  }

  /** Paints anew what depends on the colours of the page. */
  repaint() {
    this.showMaps();
    this.chooseMap(this.choice);
  }

  showMaps() {
    const { panel, t } = this;
    const heads = choicesOf(panel)[0].map(({ head }) =>
      el("th", { scope: "col" },
        head === "mean" ? t("attention.mean") : t("attention.head", { head: head + 1 })));
    this.maps = [];
    const rows = choicesOf(panel).map((choices) => {
      const { layer } = choices[0];
      const name = layer === ROLLOUT
        ? t("attention.rollout")
        : t("attention.layer", { layer: layer + 1 });
      const cells = choices.map((choice) => el("td", {}, this.mapButton(choice)));
      return el("tr", {}, el("th", { scope: "row" }, name), ...cells);
    });
    this.frame.maps.replaceChildren(el("tr", {}, el("td"), ...heads), ...rows);
  }

  /** @param {import("./weights.js").Choice} choice */
  mapButton(choice) {
    const { panel } = this;
    const canvas = el("canvas");
    paintMap(canvas, panel, choice, { mostPixels: MAP_SIZE, shade: this.shade });
    const side = MAP_SIDE / Math.max(panel.numQueries, panel.numKeys);
    canvas.style.width = `${Math.max(10, side * panel.numKeys)}px`;
    canvas.style.height = `${Math.max(10, side * panel.numQueries)}px`;
    const button = el("button", { type: "button", tabindex: "-1" }, canvas);
    button.ariaLabel = button.title = describe(choice, this.t);
    for (const kind of ["click", "focusin"]) {
      button.addEventListener(kind, () => this.chooseMap(choice));
    }
    this.maps.push({ button, choice });
    return button;
  }

  get shade() {
    return colourOf(this.frame.shades);
  }

  /** @param {import("./weights.js").Choice} choice */
  chooseMap(choice) {
    this.choice = choice;
    const { panel, frame, t } = this;
    for (const map of this.maps) {
      const isChosen = map.choice.layer === choice.layer && map.choice.head === choice.head;
      map.button.ariaPressed = String(isChosen);
      map.button.tabIndex = isChosen ? 0 : -1;
    }
    frame.title.textContent = [this.panels.length > 1 ? panel.name : "", describe(choice, t)]
      .filter(Boolean).join(": ");
    this.mapGreatest = paintMap(frame.map, panel, choice, {
      mostPixels: LARGE_MAP_SIZE, shade: this.shade,
    });
    const most = Math.max(panel.numQueries, panel.numKeys);
    const side = Math.max(1, Math.min(20, Math.floor(LARGE_MAP_SIDE / most)));
    frame.map.style.width = `${side * panel.numKeys}px`;
    frame.map.style.height = `${side * panel.numQueries}px`;
    this.chooseQuery(this.query);
  }

  /** @param {number} query */
  chooseQuery(query) {
    this.query = query;
    const { panel, frame, t } = this;
    const row = panel.row(this.choice, query);
    const darkest = this.shadeTokens(row);
    this.queryTokens.forEach((token, index) => {
      token.classList.toggle("chosen", index === query);
      token.tabIndex = index === query ? 0 : -1;
      if (!panel.isSelf) token.title = nameOf(panel.queries, index, t);
    });
    frame.darkest.textContent = rounded(darkest);
    frame.legend.classList.toggle("over-picture", "picture" in panel.keys && !!panel.keys.picture);
    const order = [...row.keys()].filter((key) => row[key] > 0).sort((a, b) => row[b] - row[a]);
    const asked = nameOf(panel.queries, query, t);
    frame.said.textContent = order.length
      ? t("attention.gives-most", {
        query: asked, weight: rounded(row[order[0]]), key: nameOf(panel.keys, order[0], t),
      })
      : t("attention.looks-at-nothing", { query: asked });
    frame.greatest.replaceChildren(
      el("tr", {}, ...["key", "weight"].map((name) =>
        el("th", { scope: "col" }, t(`attention.${name}`)))),
      ...order.slice(0, NUM_GREATEST).map((key) => el("tr", {},
        el("td", {}, nameOf(panel.keys, key, t)),
        el("td", {}, rounded(row[key])))),
    );
  }

  /**
   * Shades the keys by their weights; the answer is the weight of the full shade.
   * @param {Float32Array} row
   * @returns {number}
   */
  shadeTokens(row) {
    const { panel, frame } = this;
    // The class token looks at itself so much that no cell would be seen.
    const hasClass = "has_class_token" in panel.keys && panel.keys.has_class_token;
    const shaded = greatest(row.subarray(Number(hasClass)));
    const darkest = { query: shaded, map: this.mapGreatest }[frame.scale.value] ?? 1;
    const isGrid = panel.keys.kind === "grid";
    this.keyTokens.forEach((token, key) => {
      const weight = row[key];
      const share = darkest ? Math.min(1, weight / darkest) : 0;
      token.style.setProperty("--weight", share.toFixed(3));
      // The least of a grid's many numbers would only hide the picture below.
      const number = /** @type {Element} */ (token.lastElementChild); // of `tokenOf`
      const isMasked = panel.isCausal && key > this.query;
      token.classList.toggle("masked", isMasked);
      number.textContent = isGrid && weight < 0.0005 ? "" : isMasked ? "–" : short(weight);
      token.dataset.weight = String(weight);
      token.title = `${nameOf(panel.keys, key, this.t)}: ${isMasked ? "–" : rounded(weight)}`;
    });
    return darkest;
  }

  /** @param {AbortSignal} signal */
  listen(signal) {
    const { queries, maps, map, pointed, scale, numbers, root } = this.frame;
    const tokenUnder = (/** @type {Event} */ { target }) =>
      this.queryTokens.findIndex((token) => token.contains(/** @type {Node} */ (target)));
    queries.addEventListener("pointerover", (event) => {
      const query = tokenUnder(event);
      if (query >= 0 && this.held === null) this.chooseQuery(query);
    });
    queries.addEventListener("click", (event) => {
      const query = tokenUnder(event);
      if (query < 0) return;
      this.held = this.held === query ? null : query;
      this.chooseQuery(query);
    });
    queries.addEventListener("focusin", (event) => {
      if (!(event.target instanceof Element && event.target.matches(":focus-visible"))) return;
      this.held = null;
      this.chooseQuery(tokenUnder(event));
    });
    queries.addEventListener("keydown", (event) => goByKey(event, this.queryTokens));
    maps.addEventListener("keydown", (event) =>
      goByKey(event, this.maps.map(({ button }) => button)));
    map.addEventListener("pointermove", (event) => {
      const { panel, t } = this;
      const box = map.getBoundingClientRect();
      const query = indexAt((event.clientY - box.top) / box.height, panel.numQueries);
      const key = indexAt((event.clientX - box.left) / box.width, panel.numKeys);
      if (this.held === null) this.chooseQuery(query);
      const [from, to] = [nameOf(panel.queries, query, t), nameOf(panel.keys, key, t)];
      pointed.textContent = `${from} → ${to}: ${rounded(panel.row(this.choice, query)[key])}`;
    });
    scale.addEventListener("change", () => this.chooseQuery(this.query));
    numbers.addEventListener("change", () => root.classList.toggle("numberless", !numbers.checked));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.held = null;
    }, { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint(), { signal });
    // An attribute may give the page another colour scheme than the system's.
    const observer = new MutationObserver(() => this.repaint());
    observer.observe(document.documentElement, { attributes: true });
    signal.addEventListener("abort", () => observer.disconnect());
  }
}
