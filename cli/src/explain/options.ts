import { CONFIG_OPTION, switchOption, type Options, valueOption } from '../command-line/options.ts';

/**
 * The options have the names of curl's options, so that a user can paste a command from "Copy as cURL" of a browser.
 */
export const EXPLAIN_OPTIONS = {
  config: CONFIG_OPTION,
  ip: valueOption('ADDRESS', "the visitor's address"),
  request: {
    type: 'string',
    short: 'X',
    value: 'METHOD',
    help: 'the method; default GET, or POST with `-d`',
  },
  header: {
    type: 'string',
    short: 'H',
    value: 'LINE',
    multiple: true,
    help: 'a header of the request, exactly as sent; Guard adds only Host',
  },
  'user-agent': {
    type: 'string',
    short: 'A',
    value: 'TEXT',
    help: "the same as `-H 'User-Agent: TEXT'`",
  },
  referer: { type: 'string', short: 'e', value: 'URL', help: "the same as `-H 'Referer: URL'`" },
  'cookie-header': {
    type: 'string',
    short: 'b',
    value: 'TEXT',
    help: "the same as `-H 'Cookie: TEXT'`",
  },
  data: {
    type: 'string',
    short: 'd',
    value: 'TEXT',
    multiple: true,
    help: 'makes the request a POST; Guard does not read the body',
  },
  'data-raw': { type: 'string', multiple: true },
  compressed: { type: 'boolean' },
  cookie: valueOption('ID', 'the value of the `_guard` cookie'),
  session: valueOption('STATE', 'the state of the session: verified or issued', [
    'verified',
    'issued',
  ]),
  'over-budget': switchOption('judge as if every rate limit was used up'),
  site: valueOption('HOST', 'use the rules of this site, with any host in the URL'),
  organisation: valueOption('ID', 'use the rules of this organisation'),
  json: switchOption('one JSON object'),
} as const satisfies Options;
