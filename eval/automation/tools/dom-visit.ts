import { type Answer, send } from '../../../test/kit/http.ts';
import { ORIGIN_TITLE } from '../wait-for-ending.ts';
import type { Visit } from '../tool.ts';
import { fetchHeaders, navigationHeaders } from './chrome-headers.ts';

/** A page for a DOM library, with the cookies and the fetch of the client. */
export interface DomPage {
  readonly url: string;
  readonly html: string;
  /** The cookies that the server has set so far, as `name=value`. */
  readonly cookies: readonly string[];
  /** The page's fetch. It sends the header fields of Chromium. */
  readonly fetch: (path: string, init?: { body?: string; method?: string }) => Promise<Response>;
}

/** Runs the page's scripts until `uploaded` resolves, and then closes the page. */
export type RunPage = (page: DomPage, uploaded: Promise<void>) => Promise<void>;

/** Maximum number of reloads. A passed challenge needs one reload. */
const MAX_RELOADS = 2;
/** The time limit for the upload of one page. */
const UPLOAD_MS = 8_000;

/**
 * A client that fetches with Chromium's header fields and a cookie jar. A DOM library runs the page's script. After an
 * upload, the client loads the page again.
 */
export function domVisit(run: RunPage): Visit {
  return async (url) => {
    const jar = new Map<string, string>();
    for (let reloads = 0; ; reloads += 1) {
      const answer = await send(url, { headers: { ...navigationHeaders(), ...cookieOf(jar) } });
      keepCookies(answer, jar);
      if (answer.body.includes(`<title>${ORIGIN_TITLE}</title>`)) return 'origin';
      if (!answer.body.includes('<script') || reloads >= MAX_RELOADS) return 'screen';
      if (!(await runScripts(run, url, answer.body, jar))) return 'screen';
    }
  };
}

/** Resolves with true when the page's script has sent an upload in time. */
async function runScripts(
  run: RunPage,
  url: string,
  html: string,
  jar: Map<string, string>,
): Promise<boolean> {
  const upload = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => upload.resolve(false), UPLOAD_MS);
  const fetch: DomPage['fetch'] = async (path, { method = 'GET', body } = {}) => {
    const headers = { ...fetchHeaders(url), ...cookieOf(jar) };
    const answer = await send(new URL(path, url).href, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    // This runs after the page's own code has read the answer.
    setTimeout(() => upload.resolve(true), 50);
    return new Response(answer.body, { status: answer.status });
  };
  const cookies = [...jar].map(([name, value]) => `${name}=${value}`);
  await run(
    { url, html, cookies, fetch },
    upload.promise.then(() => undefined),
  );
  clearTimeout(timer);
  return upload.promise;
}

function cookieOf(jar: ReadonlyMap<string, string>): Record<string, string> {
  if (jar.size === 0) return {};
  return { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };
}

function keepCookies({ headers }: Answer, jar: Map<string, string>): void {
  for (const cookie of [headers['set-cookie'] ?? []].flat()) {
    const [, name, value] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
    if (name !== undefined && value !== undefined) jar.set(name, value);
  }
}
