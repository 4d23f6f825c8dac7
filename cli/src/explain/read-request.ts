import { readFileSync } from 'node:fs';
import { parseSearchTerm } from '@guard/config/plain-words/search-term';
import { readCommandLine, type ReadLine } from '../command-line/options.ts';
import { settingsFile } from '../command-line/read-settings.ts';
import { EXPLAIN_OPTIONS } from './options.ts';

export interface ExplainCall {
  readonly config: string;
  /** The body of `POST /validate`. */
  readonly body: string;
  readonly site: string | undefined;
  readonly organisation: string | undefined;
  readonly session: 'verified' | 'issued' | undefined;
  readonly overBudget: boolean;
  readonly json: boolean;
}

/**
 * Reads the request of a call. When the request is `-`, it reads `stdin`. When the result is a text, it is a sentence
 * about a mistake.
 */
export function readRequest(
  args: readonly string[],
  readStdin: () => string,
): ExplainCall | string {
  const line = readCommandLine(args, EXPLAIN_OPTIONS);
  if (typeof line === 'string') return line;
  const { values, positionals } = line;
  const [target, second] = positionals;
  const config = settingsFile(values.config);
  if (typeof config !== 'string') return config.why;
  if (target === undefined) return 'name a URL, a JSON file, or - for JSON on stdin';
  if (second !== undefined) return `one request at a time; ${second} is a second one`;
  const { session } = values;
  if (session !== undefined && session !== 'verified' && session !== 'issued') {
    return '--session is verified or issued';
  }
  if (session !== undefined && values.cookie !== undefined) {
    return '--session stands for a cookie; give one of the two';
  }
  const body = target.includes('://') ? bodyOfFlags(target, values) : readBody(target, readStdin);
  if (typeof body === 'string') return body;
  return {
    config,
    body: body.text,
    site: values.site,
    organisation: values.organisation,
    session,
    overBudget: values['over-budget'],
    json: values.json,
  };
}

type Values = ReadLine<typeof EXPLAIN_OPTIONS>['values'];

type Body = { readonly text: string } | string;

function readBody(path: string, readStdin: () => string): Body {
  try {
    return { text: path === '-' ? readStdin() : readFileSync(path, 'utf8') };
  } catch {
    const hint = isSearchTerm(path) ? `. For a code of a page: guard why ${path}` : '';
    return `cannot read ${path}: give a URL with its scheme, a JSON file, or -${hint}`;
  }
}

/** Whether a text is a code, an id or an address. These are arguments of `guard why`, and not of `guard explain`. */
function isSearchTerm(text: string): boolean {
  const { kind } = parseSearchTerm(text);
  return kind === 'reference' || kind === 'request' || kind === 'session' || kind === 'address';
}

function bodyOfFlags(url: string, values: Values): Body {
  if (values.ip === undefined) return 'say where the request comes from: --ip 203.0.113.9';
  // The Host header has the host and port as written in the URL. If the text is not a URL, the validator reports it.
  const headers: Record<string, string> = { host: /^[^:]+:\/\/([^/?#]*)/.exec(url)?.[1] ?? '' };
  for (const line of values.header ?? []) {
    const colon = line.indexOf(':', 1);
    if (colon === -1) return `a header is written "Name: value", not ${JSON.stringify(line)}`;
    setHeader(headers, line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  if (values['user-agent'] !== undefined) setHeader(headers, 'user-agent', values['user-agent']);
  if (values.referer !== undefined) setHeader(headers, 'referer', values.referer);
  if (values['cookie-header'] !== undefined) setHeader(headers, 'cookie', values['cookie-header']);
  const sendsData = values.data !== undefined || values['data-raw'] !== undefined;
  const { ip, cookie } = values;
  const method = values.request ?? (sendsData ? 'POST' : 'GET');
  const request = { url, ip, method, headers, ...(cookie !== undefined && { cookie }) };
  return { text: JSON.stringify(request) };
}

/** Sets a header. It replaces an earlier header whose name differs only in case, as with `-H 'Host: …'`. */
function setHeader(headers: Record<string, string>, name: string, value: string): void {
  const existingName = Object.keys(headers).find(
    (other) => other.toLowerCase() === name.toLowerCase(),
  );
  headers[existingName ?? name] = value;
}
