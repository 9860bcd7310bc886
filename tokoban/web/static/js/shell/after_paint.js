/** Work that can wait until the next frame is painted. */

/**
 * A function that schedules the work after the next paint, once however often it is called.
 * @param {() => void} work
 * @returns {() => void}
 */
export function afterPaint(work) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() =>
      setTimeout(() => {
        isAsked = false;
        work();
      }, 0),
    );
  };
}
