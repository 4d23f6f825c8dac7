/**
 * What every Chromium of the tests is started with, and pages cannot see: as root it starts only without
 * its sandbox, and on a closed network calling home would make it wait for minutes.
 */
export const CHROMIUM_FLAGS: readonly string[] = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
];
