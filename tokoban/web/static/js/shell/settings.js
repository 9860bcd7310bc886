/** What the player has chosen, kept in the browser. */

/** @typedef {import("../game/store.js").Store} Store */

export const DEFAULTS = {
  /** @type {"auto" | "light" | "dark"} */ theme: "auto",
  /** @type {"auto" | "en" | "de"} */ language: "auto",
  /** @type {"smooth" | "steps" | "none"} */ animation: "smooth",
  /** @type {"slow" | "medium" | "fast"} */ speed: "medium",
  /** @type {"pushes" | "moves"} */ paths: "pushes",
  showsReachable: true,
  avoidsDead: false,
  /** @type {"auto" | "yes" | "no"} */ showsArrows: "auto",
  /** @type {Record<string, string[]>} */ keys: {},
};

/** Milliseconds of one step, by speed. */
export const STEP_MS = { slow: 220, medium: 90, fast: 45 };

/** Sends "change" with `detail: {name}`. */
export class Settings extends EventTarget {
  /** @param {Store} store */
  constructor(store) {
    super();
    this._store = store;
    this._values = { ...DEFAULTS, ...store.value("settings") };
  }

  /**
   * @template {keyof typeof DEFAULTS} K
   * @param {K} name
   * @returns {typeof DEFAULTS[K]}
   */
  get(name) {
    return this._values[name];
  }

  /**
   * @template {keyof typeof DEFAULTS} K
   * @param {K} name
   * @param {typeof DEFAULTS[K]} value
   */
  set(name, value) {
    this._values[name] = value;
    this._store.keepValue("settings", this._values);
    this.dispatchEvent(new CustomEvent("change", { detail: { name } }));
  }

  /** How moves are shown; reduced motion, as the system asks for, has no animation. */
  get pace() {
    const isReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const mode = isReduced && this.get("animation") === "smooth" ? "none" : this.get("animation");
    return { mode, stepMs: STEP_MS[this.get("speed")] };
  }

  /** @returns {"en" | "de"} */
  get language() {
    const chosen = this.get("language");
    if (chosen !== "auto") return chosen;
    return navigator.language.toLowerCase().startsWith("de") ? "de" : "en";
  }
}
