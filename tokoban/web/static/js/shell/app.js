/** The frame: header, views by the address, theme, language, messages. */

import { Session } from "../game/session.js";
import { Store } from "../game/store.js";
import { refusals } from "../server.js";
import { setLanguage, t } from "../strings/index.js";
import { Collections } from "./collections.js";
import { closeDialogs } from "./dialog.js";
import { button, el } from "./dom.js";
import { openHelp } from "./help.js";
import { importText, takePastedAndDropped } from "./importing.js";
import { Keys } from "./keys.js";
import { hashOf, parseRoute } from "./router.js";
import { sentenceOf } from "./sentences.js";
import { Settings } from "./settings.js";
import { openSettings } from "./settings_dialog.js";

/**
 * Views and panels fill an element; their signal ends what works in it, when the view is left.
 * @typedef {{id: string, titleKey: string,
 *   mount: (element: HTMLElement, app: App, params: string[], signal: AbortSignal) => void}} View
 * @typedef {{id: string, titleKey: string,
 *   mount: (element: HTMLElement, session: Session, app: App, signal: AbortSignal) => void}} Panel
 * @typedef {{text: string, kind?: "good" | "bad" | "warn" | "",
 *   actions?: {label: string, icon?: string, disabled?: boolean, run: () => void}[]}} Notice
 */

/** The browser's storage; null where it forbids it, as with all cookies blocked. */
function browserStorage() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** How long a short message stays; a long one stays longer. */
const TOAST_MS = 5000;
const TOAST_MS_PER_LETTER = 60;

/**
 * Sends "notices" when what `notify` has been told changes, and "level" with a level from outside,
 * which a view takes by `preventDefault`; else it becomes a collection.
 */
export class App extends EventTarget {
  /** @param {{views: View[], panels: Panel[]}} parts */
  constructor({ views, panels }) {
    super();
    this.views = views;
    this.panels = panels;
    this.store = new Store(browserStorage());
    this.settings = new Settings(this.store);
    this.keys = new Keys(this.settings);
    this.session = new Session(this.store);
    this.session.addEventListener("shown", () => this.toast(t("play.shown")));
    this.collections = new Collections(this.store);
    /** Messages beside the board, by owner. @type {Map<string, Notice>} */
    this.notices = new Map();
    this._left = new AbortController();
    /** The address that `open` went to last. */
    this._opened = "";
    /** @type {string[]} */
    this._toastTexts = [];
    this._announcer = el("div", { class: "for-readers", "aria-live": "polite" });
    // A popover lies over dialogs, too.
    this._toasts = el("div", { class: "toasts", role: "status", popover: "manual" });
    this._toastTimer = 0;
    this._main = el("main", { class: "view", id: "main", tabindex: "-1" });
    this._shell = el("div", { class: "shell" });
    document.body.append(this._shell, this._announcer, this._toasts);
    // Messages without a key or a click between them, as for several files, are shown together.
    for (const kind of ["pointerdown", "keydown", "paste", "drop"]) {
      document.addEventListener(kind, () => (this._toastTexts = []), { capture: true });
    }
    this.settings.addEventListener("change", (event) => {
      const { name } = /** @type {CustomEvent} */ (event).detail;
      if (name === "theme") this.applyTheme();
      if (name === "language") this.render();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.applyTheme());
    window.addEventListener("hashchange", () => {
      // Messages stay if the page itself changed the view, as after reading a file.
      if (location.hash !== this._opened || !this._toastTexts.length) this._endToasts();
      this.route();
    });
    this.store.addEventListener("change", () => {
      const warning = /** @type {const} */ ({ text: t("app.storage-full"), kind: "bad" });
      this.notify("storage", this.store.isFull ? warning : null);
    });
    refusals.addEventListener("other-origin", (event) => {
      const text = sentenceOf(/** @type {CustomEvent} */ (event).detail);
      this.notify("origin", { text, kind: "bad" });
    });
    this.keys.add([{ id: "help", titleKey: "app.help", keys: ["?"], run: () => openHelp(this) }]);
    takePastedAndDropped(this);
  }

  /** Shows the page for the first time, or again in another language. */
  render() {
    setLanguage(this.settings.language);
    this.applyTheme();
    this._shell.replaceChildren(
      el("a", { class: "skip", href: "#main", onclick: this._skip.bind(this) }, t("app.skip")),
      this._header(),
      this._main,
    );
    this.route();
  }

  /**
   * Opens a view.
   * @param {string} viewId
   * @param {(string | number)[]} [params]
   */
  open(viewId, params = []) {
    const hash = (this._opened = hashOf(viewId, params));
    if (location.hash === hash) this.route();
    else location.hash = hash;
  }

  /** Shows the view that the address names. */
  async route() {
    closeDialogs();
    const route = parseRoute(location.hash);
    this._left.abort();
    if ("level" in route) {
      // A level that is opened has a shorter address.
      if (!(await importText(this, route.level, t("import.from-link")))) this.open("play");
      return;
    }
    const view = this.views.find(({ id }) => id === route.view) ?? this.views[0];
    this._left = new AbortController();
    this._announcer.textContent = "";
    // With its element the focus would go to the top of the page.
    if (this._main.contains(document.activeElement)) this._main.focus({ preventScroll: true });
    this._main.replaceChildren();
    this._main.dataset.view = view.id;
    for (const link of this._shell.querySelectorAll(".views a")) {
      const isHere = /** @type {HTMLElement} */ (link).dataset.view === view.id;
      if (isHere) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `${t(view.titleKey)} – tokoban`;
    view.mount(this._main, this, route.params, this._left.signal);
  }

  /** Says something to screen readers. @param {string} text */
  announce(text) {
    // A repeated text is read again only if it changes in between.
    this._announcer.textContent = text === this._announcer.textContent ? `${text}\u00a0` : text;
  }

  /** Shows a short message for a few seconds, in the place of an earlier one. @param {string} text */
  toast(text) {
    this._toastTexts.push(text);
    const shown = this._toastTexts.join("\n");
    this._toasts.hidePopover();
    this._toasts.showPopover();
    this._toasts.replaceChildren(el("div", { class: "toast" }, shown));
    clearTimeout(this._toastTimer);
    const time = Math.max(TOAST_MS, TOAST_MS_PER_LETTER * shown.length);
    this._toastTimer = setTimeout(() => this._endToasts(), time);
  }

  _endToasts() {
    this._toastTexts = [];
    this._toasts.replaceChildren();
  }

  /**
   * Shows a message beside the board, in place of the owner's earlier one; null removes it.
   * @param {string} owner
   * @param {Notice | null} notice
   */
  notify(owner, notice) {
    if (!notice && !this.notices.has(owner)) return;
    if (notice) this.notices.set(owner, notice);
    else this.notices.delete(owner);
    this.dispatchEvent(new CustomEvent("notices"));
  }

  applyTheme() {
    const chosen = this.settings.get("theme");
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme =
      chosen === "auto" ? (isDark ? "dark" : "light") : chosen;
    this.dispatchEvent(new CustomEvent("theme"));
  }

  _header() {
    const icon = el("img", { src: "static/icon.svg", alt: "" });
    return el(
      "header",
      { class: "row top" },
      el("a", { class: "brand", href: hashOf("play") }, icon, "tokoban"),
      el(
        "nav",
        { class: "views", "aria-label": t("app.views") },
        ...this.views.map(({ id, titleKey }) =>
          el("a", { class: "button plain", href: hashOf(id), "data-view": id }, t(titleKey)),
        ),
      ),
      el(
        "div",
        { class: "row top-tools" },
        button({ label: t("app.help"), icon: "help", class: "plain", run: () => openHelp(this) }),
        button({
          label: t("app.settings"),
          icon: "settings",
          class: "plain",
          run: () => openSettings(this),
        }),
      ),
    );
  }

  /** The id of the view that is shown. */
  get shownView() {
    return this._main.dataset.view ?? "";
  }

  /** @param {Event} event */
  _skip(event) {
    event.preventDefault();
    this._main.focus();
  }
}
