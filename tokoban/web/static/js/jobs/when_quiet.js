/** Work that waits until the player pauses: no more moves, letters or squares. */

/**
 * A function that runs the given one once no call has come for this time.
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
