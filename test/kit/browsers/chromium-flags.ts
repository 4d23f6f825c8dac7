/**
 * Flags of every Chromium of the tests, which pages cannot see. As root, Chromium starts only without its sandbox. In a
 * closed network, requests to its vendor would delay it by minutes.
 */
export const CHROMIUM_FLAGS: readonly string[] = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
];
