// Tokens as elements: in rows, or as the cells of a grid over a picture.

import { bytesOf } from "../shell/base64.js";
import { el } from "../shell/el.js";
import { shown } from "./words.js";

/** @param {import("./weights.js").Picture} picture */
function pictureOf({ height, width, colours }) {
  const canvas = el("canvas", { width, height, "aria-hidden": "true" });
  const bytes = bytesOf(colours);
  const image = new ImageData(width, height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    image.data.set([bytes[3 * pixel], bytes[3 * pixel + 1], bytes[3 * pixel + 2], 255], 4 * pixel);
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

/**
 * A token's element; a button where it shows what it attends to.
 * @param {string} label
 * @param {boolean} isAsked
 * @param {import("./weights.js").Picture | null} [picture]
 * @returns {HTMLElement}
 */
function tokenOf(label, isAsked, picture = null) {
  const parts = [picture && pictureOf(picture), label, el("small")];
  return isAsked
    ? el("button", { class: "token", type: "button", tabindex: "-1" }, ...parts)
    : el("span", { class: "token" }, ...parts);
}

/**
 * @param {HTMLElement} place
 * @param {import("./weights.js").RowLayout} layout
 * @param {boolean} isAsked
 */
function layRow(place, { labels, row_length: rowLength, pictures }, isAsked) {
  const tokens = labels.map((label, i) => tokenOf(shown(label), isAsked, pictures?.[i]));
  const box = el("div", { class: "tokens" });
  tokens.forEach((token, i) => {
    if (rowLength !== null && i % rowLength === 0) {
      const number = String(i / rowLength + 1);
      box.append(el("span", { class: "row-number" }, number));
    }
    box.append(token);
  });
  if (rowLength !== null) {
    box.classList.add("rows");
    box.style.gridTemplateColumns = `max-content repeat(${rowLength}, max-content)`;
  }
  place.append(el("div", { class: "scrolls" }, box));
  return tokens;
}

/**
 * @param {HTMLElement} place
 * @param {import("./weights.js").GridLayout} layout
 * @param {boolean} isAsked
 * @param {import("./words.js").Translate} t
 */
function layGrid(place, { height, width, labels, picture, has_class_token: hasClass }, isAsked, t) {
  const cells = Array.from({ length: height * width }, (_, i) =>
    tokenOf(labels?.[i] ? shown(labels[i]) : "", isAsked),
  );
  const box = el("div", { class: "tokens grid" }, ...cells);
  const room = Math.min(640, place.clientWidth - 10);
  const size = Math.max(12, Math.min(44, Math.floor(room / width) - 1));
  box.style.gridTemplateColumns = `repeat(${width}, max-content)`;
  box.style.setProperty("--cell", `${size}px`);
  box.style.setProperty("--letters", `${Math.min(15, Math.floor(0.6 * size))}px`);
  box.classList.toggle("small-cells", size < 28);
  if (picture) {
    box.classList.add("pictured");
    box.prepend(pictureOf(picture));
  }
  const scrolls = el("div", { class: "scrolls" }, box);
  if (!hasClass) {
    place.append(scrolls);
    return cells;
  }
  const classToken = tokenOf(t("attention.class-token"), isAsked);
  classToken.classList.add("class-token");
  place.append(classToken, scrolls);
  return [classToken, ...cells];
}

/**
 * Lays the tokens of a layout into an element, instead of what it had.
 * @param {HTMLElement} place
 * @param {import("./weights.js").Layout} layout
 * @param {{isAsked: boolean, t: import("./words.js").Translate}} options `isAsked`: tokens are buttons
 * @returns {HTMLElement[]} an element for each token, in their order
 */
export function layTokens(place, layout, { isAsked, t }) {
  place.replaceChildren();
  return layout.kind === "grid"
    ? layGrid(place, layout, isAsked, t)
    : layRow(place, layout, isAsked);
}

/**
 * The button that an arrow key, Home or End leads to among buttons that lie in lines.
 * @param {HTMLElement[]} buttons
 * @param {HTMLElement} button
 * @param {string} key
 * @returns {HTMLElement | null} null for other keys and beyond the edge
 */
function neighbourOf(buttons, button, key) {
  const index = buttons.indexOf(button);
  if (key === "ArrowLeft") return buttons[index - 1] ?? null;
  if (key === "ArrowRight") return buttons[index + 1] ?? null;
  if (key === "Home") return buttons[0];
  if (key === "End") return buttons.at(-1) ?? null;
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  const here = button.getBoundingClientRect();
  const far = (/** @type {DOMRect} */ box) => (key === "ArrowUp" ? here.top - box.bottom : box.top - here.bottom);
  const lines = buttons
    .map((other) => ({ other, box: other.getBoundingClientRect() }))
    .filter(({ box }) => far(box) > -here.height / 2);
  // The nearest line first, and in it the nearest place.
  const distance = (/** @type {DOMRect} */ box) =>
    far(box) * 10_000 + Math.abs(box.left - here.left);
  lines.sort((one, other) => distance(one.box) - distance(other.box));
  return lines[0]?.other ?? null;
}

/**
 * Moves the focus among buttons by the arrow keys, Home and End.
 * @param {KeyboardEvent} event
 * @param {HTMLElement[]} buttons
 */
export function goByKey(event, buttons) {
  const button = buttons.find((one) => one.contains(/** @type {Node} */ (event.target)));
  const next = button && neighbourOf(buttons, button, event.key);
  if (!next) return;
  event.preventDefault();
  next.focus(/** @type {FocusOptions} */ ({ focusVisible: true }));
}
