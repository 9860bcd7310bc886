/** The board's colours, read from the style sheet, so that the theme decides them. */

const NAMES = /** @type {const} */ ([
  "floor",
  "floor-edge",
  "wall",
  "wall-top",
  "wall-side",
  "goal",
  "box",
  "box-edge",
  "box-done",
  "box-done-edge",
  "player",
  "player-edge",
  "guilty",
  "hint",
  "dead",
  "arrow",
  "text",
  "text-back",
]);

/** @typedef {Record<typeof NAMES[number], string>} Palette */

/** @param {Element} element @returns {Palette} */
export function paletteOf(element) {
  // A canvas takes no colours that depend on the theme; an element resolves them.
  const probe = element.appendChild(document.createElement("i"));
  const colours = NAMES.map((name) => {
    probe.style.color = `var(--board-${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(colours);
}
