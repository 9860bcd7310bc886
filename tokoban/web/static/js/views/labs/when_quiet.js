/** Work that waits until nothing more is typed or drawn. */

const WAIT_MS = 350;

/**
 * A function that runs the given one once no more calls come for a while.
 * @param {() => void} run
 * @param {AbortSignal} signal ends it
 * @returns {() => void}
 */
export function whenQuiet(run, signal) {
  let timer = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, WAIT_MS);
  };
}
