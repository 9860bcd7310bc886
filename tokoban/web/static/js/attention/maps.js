// Maps of weights: a pixel for each query and key, and the colours that weights are shown in.

import { MEAN, ROLLOUT, greatest } from "./weights.js";

const MOST_PRODUCTS = 2e8; // for a map of rollout, of which each row is a pass through all layers

/** @typedef {[number, number, number]} Colour red, green and blue from 0 to 255 */

/**
 * The colour of an element's text in the page's present colour scheme.
 * @param {Element} element
 * @returns {Colour}
 */
export function colourOf(element) {
  const parts = getComputedStyle(element).color.match(/[\d.]+/g) ?? ["0", "0", "0"];
  const [red, green, blue] = parts.map(Number);
  return [red, green, blue];
}

/**
 * Paints what a choice of layer and head gives; of more tokens than pixels the greatest of neighbours.
 * @param {HTMLCanvasElement} canvas
 * @param {import("./weights.js").AttentionWeights} panel
 * @param {import("./weights.js").Choice} choice
 * @param {{mostPixels: number, shade: Colour}} options
 * @returns {number} the greatest weight seen
 */
export function paintMap(canvas, panel, choice, { mostPixels, shade }) {
  const isRollout = choice.layer === ROLLOUT;
  const products = isRollout ? panel.numLayers * panel.numKeys ** 2 : 0;
  const rows = Math.min(panel.numQueries, mostPixels, Math.ceil(MOST_PRODUCTS / products));
  const columns = Math.min(panel.numKeys, mostPixels);
  const seen = new Float32Array(rows * columns);
  for (let y = 0; y < rows; y += 1) {
    const first = Math.floor((y * panel.numQueries) / rows);
    // Of the rows that share a pixel rollout shows the first one alone.
    const end = isRollout ? first + 1 : Math.floor(((y + 1) * panel.numQueries) / rows);
    for (let query = first; query < end; query += 1) {
      const row = panel.row(choice, query);
      for (let key = 0; key < panel.numKeys; key += 1) {
        const pixel = y * columns + Math.floor((key * columns) / panel.numKeys);
        if (row[key] > seen[pixel]) seen[pixel] = row[key];
      }
    }
  }
  const most = greatest(seen);
  Object.assign(canvas, { width: columns, height: rows });
  const image = new ImageData(columns, rows);
  seen.forEach((weight, pixel) => {
    image.data.set([...shade, most ? Math.round((255 * weight) / most) : 0], 4 * pixel);
  });
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return most;
}

/**
 * The choices of a panel, a row for each layer: its heads and their mean; then rollout.
 * @param {import("./weights.js").AttentionWeights} panel
 * @returns {import("./weights.js").Choice[][]}
 */
export function choicesOf(panel) {
  /** @type {(number | "mean")[]} */
  const heads = Array.from({ length: panel.numHeads }, (_, head) => head);
  if (panel.numHeads > 1) heads.push(MEAN);
  /** @type {import("./weights.js").Choice[][]} */
  const rows = Array.from({ length: panel.numLayers }, (_, layer) =>
    heads.map((head) => ({ layer, head })));
  return panel.hasRollout ? [...rows, [{ layer: ROLLOUT, head: MEAN }]] : rows;
}

/**
 * Which of several rows or columns is at a place.
 * @param {number} share of the whole length
 * @param {number} count
 * @returns {number}
 */
export function indexAt(share, count) {
  return Math.max(0, Math.min(count - 1, Math.floor(share * count)));
}
