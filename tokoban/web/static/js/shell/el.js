/** Elements in one line. Text is only ever set as text, never as markup. */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element with attributes, listeners and children.
 *
 * A property that begins with "on" is a listener; a boolean attribute is set or left out; others
 * are attributes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children text is set as text
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  const shown = children.filter((child) => (child ?? false) !== false);
  element.append(.../** @type {(Node | string)[]} */ (shown));
  return element;
}
