/** Work that waits until no more moves, letters or squares come. */

/**
 * A function that runs the given one once no more calls come for so long.
 * @param {() => void} run
 * @param {number} waitMs
 * @param {AbortSignal} signal ends it
 * @returns {() => void}
 */
export function whenQuiet(run, waitMs, signal) {
  let timer = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, waitMs);
  };
}
