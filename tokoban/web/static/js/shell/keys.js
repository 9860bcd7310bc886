/** The key map: actions, the keys that run them, and how the player has changed them. */

/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {{id: string, titleKey: string, keys: string[], run: () => void}} Action */

/**
 * The name of a pressed key: "u", "Shift+U", "Ctrl+z", "ArrowUp", "Space", "?".
 * @param {KeyboardEvent} event
 * @returns {string}
 */
export function keyName(event) {
  const key = event.key === " " ? "Space" : event.key;
  const isLetter = /^\p{L}$/u.test(key);
  if (event.ctrlKey) return `Ctrl+${event.shiftKey ? "Shift+" : ""}${key.toLowerCase()}`;
  if (event.shiftKey && isLetter) return `Shift+${key.toUpperCase()}`;
  if (event.shiftKey && key.length > 1) return `Shift+${key}`;
  return isLetter ? key.toLowerCase() : key;
}

/** Where keys type text or operate the control itself. */
const TYPING = "input, textarea, select, [contenteditable], dialog, [data-own-keys]";
/** Buttons and links take these keys themselves. */
const PRESSING = new Set(["Enter", "Space"]);

export class Keys {
  /** @param {Settings} settings */
  constructor(settings) {
    this._settings = settings;
    /** @type {Map<string, Action>} */
    this._actions = new Map();
    document.addEventListener("keydown", (event) => this._press(event));
  }

  /**
   * Adds actions, which the signal removes.
   * @param {Action[]} actions
   * @param {AbortSignal} [signal]
   */
  add(actions, signal) {
    for (const action of actions) this._actions.set(action.id, action);
    signal?.addEventListener("abort", () => {
      for (const action of actions) {
        if (this._actions.get(action.id) === action) this._actions.delete(action.id);
      }
    });
  }

  /** @returns {Action[]} */
  get actions() {
    return [...this._actions.values()];
  }

  /** Runs an action, as its keys do. @param {string} id */
  run(id) {
    this._actions.get(id)?.run();
  }

  /** The keys of an action now. @param {Action} action @returns {string[]} */
  keysOf(action) {
    return this._settings.get("keys")[action.id] ?? action.keys;
  }

  /**
   * Gives an action these keys in place of its own, and takes them from any other.
   * @param {Action} action
   * @param {string[]} keys
   */
  change(action, keys) {
    const changed = { ...this._settings.get("keys"), [action.id]: keys };
    for (const other of this.actions) {
      if (other.id === action.id) continue;
      const kept = this.keysOf(other);
      if (kept.some((key) => keys.includes(key))) {
        changed[other.id] = kept.filter((key) => !keys.includes(key));
      }
    }
    this._settings.set("keys", changed);
  }

  reset() {
    this._settings.set("keys", {});
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    if (event.defaultPrevented || event.altKey || event.metaKey || event.isComposing) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
    const name = keyName(event);
    if (PRESSING.has(name) && target.closest?.("button, a, summary")) return;
    const action = this.actions.find((candidate) => this.keysOf(candidate).includes(name));
    if (!action) return;
    event.preventDefault();
    action.run();
  }
}
