/**
 * Flags for every Chromium of the tests. Pages cannot see them. Root can start Chromium only without its sandbox. In a
 * closed network, requests to the vendor would delay Chromium by minutes.
 */
export const CHROMIUM_FLAGS: readonly string[] = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
];
