// Share one run of some work among concurrent callers.

/**
 * Return a function that never runs the work twice at once. Callers during a run share the result of one more run.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {() => Promise<T>}
 */
export function coalesced(work) {
  /** @type {Promise<T> | null} */
  let running = null;
  let again = false;
  const repeat = async () => {
    try {
      let outcome;
      do {
        again = false;
        outcome = await work();
      } while (again);
      return outcome;
    } finally {
      running = null;
    }
  };
  return () => {
    again = running !== null;
    running ||= repeat();
    return running;
  };
}
