// Reading what changes while it is read: one at a time, and once more for all who have asked meanwhile.

/**
 * Make a function that does some work. While it is under way, those who ask for it get the outcome of doing it again.
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
