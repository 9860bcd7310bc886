/** Strokes of a pointer: the browser reports only some of its places, so the line between is drawn. */

/** @typedef {[number, number]} Place row and column */

/**
 * The places on the straight line from one to another, without the first.
 * @param {Place} from
 * @param {Place} to
 * @returns {Place[]}
 */
export function lineTo(from, to) {
  const [down, right] = [to[0] - from[0], to[1] - from[1]];
  const count = Math.max(Math.abs(down), Math.abs(right));
  return Array.from({ length: count }, (_, index) => {
    const part = (index + 1) / count;
    return [from[0] + Math.round(part * down), from[1] + Math.round(part * right)];
  });
}
