/**
 * Names of the upstream AI list that are no entry of the catalogue.
 *
 * Some are words of everyday, which would identify anybody; some are software anybody can run, which
 * stands in config/data/user-agents instead.
 */
export const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['code', 'an everyday word; editors built on Electron write it into a browser User-Agent'],
  ['spider', 'an everyday word'],
  ['scrapy', 'a framework: http-clients.json'],
  ['lightpanda', 'a headless browser: automation.json'],
]);
