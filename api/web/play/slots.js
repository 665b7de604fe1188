// Slots for long-lived connections: over HTTP/1.1 a browser has six connections for all tabs together.

const SLOTS = 4;

/**
 * Take a slot; null if other tabs have all of them.
 * @returns {Promise<null | (() => void)>} releases the slot; closing the tab does so too
 */
export async function takeSlot() {
  if (!navigator.locks || isMultiplexed()) return () => {};
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const release = await tryLock(`franchise:stream:${slot}`);
    if (release) return release;
  }
  return null;
}

/** Over HTTP/2 and later all requests share one connection. */
function isMultiplexed() {
  const [page] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return /^h[23]/.test(page?.nextHopProtocol || "");
}

/**
 * @param {string} name
 * @returns {Promise<null | (() => void)>}
 */
const tryLock = (name) =>
  new Promise((taken) => {
    const held = navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock) return new Promise((release) => taken(() => release(null)));
      return taken(null);
    });
    held.catch(() => taken(() => {})); // browsers that block storage block locks, too
  });
