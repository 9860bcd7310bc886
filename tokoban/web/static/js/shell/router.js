/** The address behind `#` says what is shown: `#/play/tokoban/3`, `#/levels`, `#level=…`. */

/** @typedef {{view: string, params: string[]} | {level: string}} Route */

/** @param {string} hash as `location.hash` @returns {Route} */
export function parseRoute(hash) {
  const text = hash.replace(/^#/, "");
  if (text.startsWith("level=")) return { level: decode(text.slice("level=".length)) };
  const [view, ...params] = text.replace(/^\//, "").split("/").map(decode);
  return { view: view || "play", params };
}

/** @param {string} view @param {(string | number)[]} [params] @returns {string} */
export function hashOf(view, params = []) {
  return `#/${[view, ...params].map((part) => encodeURIComponent(part)).join("/")}`;
}

/** @param {string} text @returns {string} */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % is a percent sign
  }
}
