import { decodeAll } from '@guard/config/matching/path-steps';
import type { RequestUrl } from '../request/url.ts';

/** A proxy in front of the router can decode an escaped semicolon, and also one that is escaped twice. */
const SEMICOLON = /;|%(?:25)?3b/i;
const NO_QUERIES: readonly string[] = [];

/** Whether a router that takes `;` for the beginning of the query (cutAtSemicolon) can find a query in this path. */
export function hasQueryInPath(path: string): boolean {
  return SEMICOLON.test(path);
}

/** The queries that such routers read, alone and behind a proxy that decodes the path. Usually there are none. */
export function queriesInPath({ path, query }: Pick<RequestUrl, 'path' | 'query'>) {
  if (!hasQueryInPath(path)) return NO_QUERIES;
  const decodedPath = decodeAll(path);
  const paths = new Set([path, decodedPath, decodeAll(decodedPath)]);
  return [...paths]
    .filter((reading) => reading.includes(';'))
    .map((reading) => {
      const rest = reading.slice(reading.indexOf(';') + 1);
      return query === '' ? rest : `${rest}?${query}`;
    });
}
