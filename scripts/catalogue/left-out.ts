/**
 * Names of the source lists that do not become entries of the catalogue. Some are everyday words, which would match
 * browsers of people. Others are software for all users. This software is in config/data/user-agents.
 */
export const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['code', 'an everyday word; editors built on Electron write it into a browser User-Agent'],
  ['spider', 'an everyday word'],
  ['scrapy', 'a framework: http-clients.json'],
  ['lightpanda', 'a headless browser: automation.json'],
  ['ap3a.240617.008', 'the build of an Android version that people have'],
  ['mail.ru', 'a mail service, and the toolbars that its users have'],
  ['metaiab facebook', 'the browser within an app, which people use'],
]);
