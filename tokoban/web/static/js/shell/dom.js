/** Buttons, icons and choices. */

import { el } from "./el.js";

export { el };

/** Side by side. @param {...import("./el.js").Child} children */
export function inRow(...children) {
  return el("div", { class: "row" }, ...children);
}

/** One below the other. @param {...import("./el.js").Child} children */
export function inStack(...children) {
  return el("div", { class: "stack" }, ...children);
}

/**
 * A part of a panel or dialog, below its title.
 * @param {string} title
 * @param {...import("./el.js").Child} children
 */
export function section(title, ...children) {
  return el("section", { class: "stack" }, el("h3", {}, title), ...children);
}

/**
 * A button with an icon, a text or both.
 * @param {{label: string, icon?: string, text?: boolean, run: (event: Event) => void,
 *   class?: string}} options the label is read aloud and shown on hovering; `text` shows it always
 * @returns {HTMLButtonElement}
 */
export function button({ label, icon, text = !icon, run, class: className = "" }) {
  return el(
    "button",
    {
      type: "button",
      class: `button ${className}`,
      title: text ? null : label,
      "aria-label": text ? null : label,
      onclick: run,
    },
    icon ? iconOf(icon) : null,
    text ? el("span", {}, label) : null,
  );
}

/** Changes the word of a button. @param {HTMLElement} button @param {string} text */
export function relabel(button, text) {
  if (button.textContent !== text) button.replaceChildren(el("span", {}, text));
}

/** Outlines on a field of 24 by 24. @type {Record<string, string>} */
const ICONS = {
  undo: "M8 5 3 10l5 5M3 10h11a6 6 0 0 1 0 12h-3",
  redo: "m16 5 5 5-5 5m5-5H10a6 6 0 0 0 0 12h3",
  restart: "M4 4v6h6M4.5 10A8.5 8.5 0 1 1 4 14",
  previous: "m15 5-7 7 7 7",
  next: "m9 5 7 7-7 7",
  first: "M6 5v14M18 5l-8 7 8 7z",
  last: "M18 5v14M6 5l8 7-8 7z",
  play: "M7 4v16l13-8z",
  pause: "M8 5v14M16 5v14",
  camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 1 0 0-7",
  hint: "M9 18h6M10 21.5h4M8.5 15c0-2-2.5-3-2.5-6.5a6 6 0 0 1 12 0c0 3.5-2.5 4.5-2.5 6.5z",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 1 0 0-6",
  share: "M12 15V3m-4 4 4-4 4 4M5 12v9h14v-9",
  settings:
    "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 1 0 0-5M9 14.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 1 0 0-5",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5",
  open: "M3 6h6l2 3h10v11H3z",
  list: "M4 6h16M4 12h16M4 18h16",
  close: "M6 6l12 12M18 6 6 18",
  remove: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  tick: "m4 13 5 5L20 6",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
};

/** @param {string} name @returns {SVGElement} */
export function iconOf(name) {
  const icon = shape("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" });
  icon.append(shape("path", { d: ICONS[name] }));
  return icon;
}

/**
 * An element of SVG.
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
export function shape(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, `${value}`);
  return /** @type {SVGElement} */ (made);
}

/** Gives a button another icon and name. @param {HTMLElement} button @param {string} icon @param {string} label */
export function setIcon(button, icon, label) {
  button.title = button.ariaLabel = label;
  button.replaceChildren(iconOf(icon));
}

/** A control behind its name. @param {string} name @param {HTMLElement} control */
export function labelled(name, control) {
  return el("label", { class: "choice" }, el("span", {}, name), control);
}

/**
 * A choice of a few words.
 * @param {{label: string, options: [string, string][], value: string,
 *   change: (value: string) => void}} options as [value, text]
 * @returns {HTMLElement}
 */
export function choice({ label, options, value, change }) {
  const select = el(
    "select",
    { onchange: () => change(select.value) },
    ...options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)),
  );
  return labelled(label, select);
}
