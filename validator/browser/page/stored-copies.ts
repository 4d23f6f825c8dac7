/** The longest wait for the storage of the browser, in milliseconds. */
const WAIT_MS = 1_000;

/** A worker stores an answer for the header fields that it had, and this page has other fields. */
const OF_ANY_REQUEST = { ignoreVary: true };

/**
 * Deletes the copies of this page that a service worker has stored. Some workers store every answer and never request
 * it again, so each reload would show this page. A copy with a status of success is a page of the site, and stays.
 */
export async function deleteStoredCopies(): Promise<void> {
  try {
    if (!navigator.serviceWorker.controller) return;
    await Promise.race([deleteCopies(), new Promise((resolve) => setTimeout(resolve, WAIT_MS))]);
  } catch {
    // Over http, and where the browser allows no storage, there are no copies.
  }
}

async function deleteCopies(): Promise<void> {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys(location.href, OF_ANY_REQUEST)) {
      const copy = await cache.match(request);
      if (copy?.ok === false) await cache.delete(request);
    }
  }
}
