/** What the player has chosen, kept in the browser. */

/** @typedef {import("../game/store.js").Store} Store */

/** Settings of a few words, in the order in which they are shown. */
export const CHOICES = /** @type {const} */ ({
  language: ["auto", "en", "de"],
  theme: ["auto", "light", "dark"],
  animation: ["smooth", "steps", "none"],
  speed: ["slow", "medium", "fast"],
  paths: ["pushes", "moves"],
});

const DEFAULTS = {
  /** @type {typeof CHOICES.language[number]} */ language: "auto",
  /** @type {typeof CHOICES.theme[number]} */ theme: "auto",
  /** @type {typeof CHOICES.animation[number]} */ animation: "smooth",
  /** @type {typeof CHOICES.speed[number]} */ speed: "medium",
  /** @type {typeof CHOICES.paths[number]} */ paths: "pushes",
  avoidsDead: false,
  showsNumbers: false,
  turns: false,
  /** @type {Record<string, string[]>} */ keys: {},
};

/** Milliseconds of one step, by speed. */
const STEP_MS = { slow: 220, medium: 90, fast: 45 };

/** Sends "change" with `detail: {name}`. */
export class Settings extends EventTarget {
  /** @param {Store} store */
  constructor(store) {
    super();
    this._store = store;
    this._values = { ...DEFAULTS, ...checked(store.value("settings")) };
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

/**
 * The settings of a record that have values of theirs.
 * @param {any} record
 * @returns {Partial<typeof DEFAULTS>}
 */
function checked(record) {
  const isKnown = (/** @type {[string, any]} */ [name, value]) => {
    /** @type {readonly string[] | undefined} */
    const values = CHOICES[/** @type {keyof typeof CHOICES} */ (name)];
    if (values) return values.includes(value);
    if (name !== "keys") return name in DEFAULTS && typeof value === "boolean";
    return Object.values(value ?? [0]).every(
      (keys) => Array.isArray(keys) && keys.every((key) => typeof key === "string"),
    );
  };
  return Object.fromEntries(Object.entries(record ?? {}).filter(isKnown));
}
