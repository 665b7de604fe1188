// Connections that stay open. Over HTTP/1.1 a browser has six for all tabs together, so that only a few tabs may have one.

const SLOTS = 4;

/**
 * Take one of the connections that may stay open; null if other tabs have them all.
 * @returns {Promise<null | (() => void)>} gives it back; a tab that is closed does so by itself
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
    held.catch(() => taken(() => {})); // where pages may keep nothing, they have no locks either
  });
