// The weights of one attention: layer x head x query -> keys, with the mean of heads and rollout.

import { bytesOf } from "../shell/base64.js";

/** A layer's name where all layers are followed back to the inputs. */
export const ROLLOUT = "rollout";
/** The name that stands for the mean of a layer's heads. */
export const MEAN = "mean";

/**
 * A row of tokens, or a grid of them; as `TokenRow` and `TokenGrid` of Python describe it.
 * @typedef {{kind: "row", labels: string[], row_length: number | null,
 *   pictures: (Picture | null)[] | null}} RowLayout
 * @typedef {{kind: "grid", labels: string[] | null, height: number, width: number,
 *   has_class_token: boolean, picture: Picture | null}} GridLayout
 * @typedef {RowLayout | GridLayout} Layout
 */

/**
 * Red, green and blue of every pixel, a byte each, as base64.
 * @typedef {{height: number, width: number, colours: string}} Picture
 */

/**
 * What `AttentionPanel.to_dict` of Python writes.
 * @typedef {object} PanelData
 * @property {string} name
 * @property {Place} start where the panel opens
 * @property {boolean} is_causal no query may attend to a later key
 * @property {[number, number, number, number]} shape layers, heads, queries, keys
 * @property {string} weights single precision, as base64
 * @property {Layout} queries
 * @property {Layout | null} keys none: the queries are the keys
 */

/** @typedef {{layer: number | "rollout", head: number | "mean"}} Choice */
/** @typedef {Choice & {query: number}} Place */

/**
 * The greatest of the numbers, at least 0.
 * @param {Float32Array} numbers
 * @returns {number}
 */
export function greatest(numbers) {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

/** One panel's weights; they are decoded when they are first asked for. */
export class AttentionWeights {
  /** @param {PanelData} data */
  constructor(data) {
    this.name = data.name;
    const [numLayers, numHeads, numQueries, numKeys] = data.shape;
    this.numLayers = numLayers;
    this.numHeads = numHeads;
    this.numQueries = numQueries;
    this.numKeys = numKeys;
    this.queries = data.queries;
    this.keys = data.keys ?? data.queries;
    this.isSelf = data.keys === null;
    this.hasRollout = this.isSelf && this.numLayers > 1;
    this.start = data.start;
    this.isCausal = data.is_causal;
    /** @type {string | null} */
    this.base64 = data.weights;
    /** @type {Float32Array} */
    this.numbers = new Float32Array();
    /** @type {Float32Array[]} */
    this.means = [];
  }

  /** All weights, in the order of the shape. */
  get weights() {
    if (this.base64 !== null) {
      this.numbers = new Float32Array(bytesOf(this.base64).buffer);
      this.base64 = null;
    }
    return this.numbers;
  }

  /**
   * What one query gives to every key.
   * @param {Choice} choice
   * @param {number} query
   * @returns {Float32Array}
   */
  row({ layer, head }, query) {
    if (layer === ROLLOUT) return this.rollout(query);
    if (head === MEAN) {
      return this.mean(layer).subarray(query * this.numKeys, (query + 1) * this.numKeys);
    }
    const start = ((layer * this.numHeads + head) * this.numQueries + query) * this.numKeys;
    return this.weights.subarray(start, start + this.numKeys);
  }

  /**
   * Of a layer over its heads: all queries, then all keys of each.
   * @param {number} layer
   * @returns {Float32Array}
   */
  mean(layer) {
    if (!this.means[layer]) {
      const size = this.numQueries * this.numKeys;
      const mean = new Float32Array(size);
      for (let head = 0; head < this.numHeads; head += 1) {
        const start = (layer * this.numHeads + head) * size;
        for (let i = 0; i < size; i += 1) mean[i] += this.weights[start + i] / this.numHeads;
      }
      this.means[layer] = mean;
    }
    return this.means[layer];
  }

  /**
   * What of the inputs reaches a token of the last layer, half of each layer being the token itself.
   * @param {number} query
   * @returns {Float32Array}
   */
  rollout(query) {
    /** @type {Float32Array} */
    let reached = new Float32Array(this.numKeys);
    reached[query] = 1;
    for (let layer = this.numLayers - 1; layer >= 0; layer -= 1) {
      const before = new Float32Array(this.numKeys);
      for (let token = 0; token < this.numKeys; token += 1) {
        if (reached[token] === 0) continue;
        const row = this.row({ layer, head: MEAN }, token);
        let looked = 0;
        for (let key = 0; key < this.numKeys; key += 1) {
          before[key] += (reached[token] / 2) * row[key];
          looked += row[key];
        }
        // A token that may attend to nothing keeps all of itself.
        before[token] += reached[token] * (1 - looked / 2);
      }
      reached = before;
    }
    return reached;
  }

  /** Whether both have as many layers and heads. @param {AttentionWeights} other */
  hasHeadsOf(other) {
    return this.numLayers === other.numLayers && this.numHeads === other.numHeads;
  }

  /** Whether they have as many queries and keys, too. @param {AttentionWeights} other */
  hasShapeOf(other) {
    return this.hasHeadsOf(other) && this.numQueries === other.numQueries
      && this.numKeys === other.numKeys;
  }
}
