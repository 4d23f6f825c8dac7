import { decodeAll } from '@guard/config/matching/path-steps';
import type { RequestUrl } from '../request/url.ts';

/**
 * Some routers take `;` for the beginning of the query (cutAtSemicolon). A proxy in front of the router can decode an
 * escaped `;` or `?` (nginx with `$uri` in `proxy_pass`), and also one that is escaped twice.
 */
const QUERY_START = /[;?]/;
const NO_PATHS: readonly string[] = [];

/** Whether a router can find a query in this path. */
export function hasQueryInPath(path: string): boolean {
  return pathsWithQuery(path).length > 0;
}

/** The queries that routers find in a path, alone and behind a proxy that decodes the path. Usually there are none. */
export function queriesInPath({ path, query }: Pick<RequestUrl, 'path' | 'query'>) {
  return pathsWithQuery(path).map((reading) => {
    const rest = reading.slice(reading.search(QUERY_START) + 1);
    return query === '' ? rest : `${rest}?${query}`;
  });
}

/** The readings of a path that have a query. */
function pathsWithQuery(path: string): readonly string[] {
  if (!path.includes('%')) return path.includes(';') ? [path] : NO_PATHS;
  const decodedPath = decodeAll(path);
  const readings = new Set([path, decodedPath, decodeAll(decodedPath)]);
  return [...readings].filter((reading) => QUERY_START.test(reading));
}
