/** Work that waits until nothing more is typed or drawn. */

/**
 * A function that runs the given one once no more calls come for a while.
 * @param {() => void} run
 * @param {number} [waitMs]
 * @returns {(() => void) & {cancel: () => void}}
 */
export function whenQuiet(run, waitMs = 350) {
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(run, waitMs);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}
