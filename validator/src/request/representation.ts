import type { Facts } from './facts.ts';
import { readPageWish } from './accept.ts';

type Representation = 'html' | 'problem';

type MethodAndHeaders = Pick<Facts, 'method' | 'headers'>;

/** Values of Sec-Fetch-Dest for a tab and for every kind of frame (Fetch standard, section 2.2.7). */
const DOCUMENTS: ReadonlySet<string> = new Set([
  'document',
  'iframe',
  'frame',
  'embed',
  'object',
  'fencedframe',
]);

/**
 * The value of Sec-Fetch-Dest that Chromium sends for every request that a service worker forwards, even for a page. A
 * page has the mode `navigate`, which no script can send. A download link has this value and this mode too, but its
 * Accept names no type.
 */
const FROM_SERVICE_WORKER = 'empty';

/**
 * Whether a denied request gets a page or `application/problem+json`. Navigations in a tab or a frame get a page, and
 * clients that do not show what they want get one too. Requests for data or files (fetch, XHR, image, script, style
 * sheet) get the problem. Clients that prefer another type to HTML get the problem too.
 */
export function representationFor({ headers }: Pick<Facts, 'headers'>): Representation {
  return wantsPage(headers) ? 'html' : 'problem';
}

/**
 * Whether the request is a WebSocket handshake (RFC 6455). Chromium sends no Accept, no fetch metadata and no client
 * hints with it. The function does not read Upgrade, because nginx and HAProxy leave this field out when they ask
 * Guard.
 */
export function isHandshake({ method, headers }: MethodAndHeaders): boolean {
  return method === 'GET' && hasHandshakeField(headers);
}

function hasHandshakeField(headers: Facts['headers']): boolean {
  return headers['sec-websocket-version'] !== undefined;
}

/**
 * Whether the request comes from a link that downloads a file (`<a download>`). Chromium sends no Accept, no client
 * hints and no Upgrade-Insecure-Requests with it. Guard treats it as a request for data.
 */
export function isDownload({ method, headers }: MethodAndHeaders): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-dest'] === 'empty' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['accept'] === undefined
  );
}

/**
 * Whether Chromium requests the description of a site's search (OpenSearch), which lets people search the site from the
 * address bar. Chromium sends no Accept and no client hints with it.
 */
export function isSearchDescription({ method, headers }: MethodAndHeaders): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-dest'] === 'empty' &&
    headers['sec-fetch-mode'] === 'no-cors' &&
    headers['accept'] === undefined
  );
}

function wantsPage(headers: Facts['headers']): boolean {
  if (hasHandshakeField(headers)) return false;
  const destination = headers['sec-fetch-dest'];
  const mode = headers['sec-fetch-mode'];
  if (destination === FROM_SERVICE_WORKER) {
    return mode === 'navigate' && readPageWish(headers['accept']).named;
  }
  if (destination !== undefined && !DOCUMENTS.has(destination)) return false;
  if (mode !== undefined) return mode === 'navigate';
  if (destination !== undefined) return true;
  if (headers['x-requested-with']?.toLowerCase() === 'xmlhttprequest') return false;
  if (headers['hx-request'] === 'true') return false;
  const { html, named, other } = readPageWish(headers['accept']);
  // For a page, a browser prefers HTML. When only a wildcard covers HTML, any other type has priority.
  return html > 0 && (named ? html >= other : html > other);
}

/** Paths of the files that a page loads. */
const FILE_OF_A_PAGE =
  /\.(?:avif|bmp|css|eot|gif|ico|jpe?g|js|map|mjs|mp3|mp4|oga|ogg|ogv|otf|png|svg|ttf|wasm|wav|webm|webmanifest|webp|woff2?)$/i;

/** Values of Sec-Fetch-Dest for files that a browser loads as parts of a page (Fetch standard, section 2.2.7). */
const PART: ReadonlySet<string> = new Set('audio font image script style track video'.split(' '));

/** Whether the path is that of a file of a page. Also true for a preflight, because it needs no challenge. */
export function isFileOfPage({ method, url }: Pick<Facts, 'method' | 'url'>): boolean {
  return method === 'OPTIONS' || (loadsParts(method) && FILE_OF_A_PAGE.test(url.path));
}

/** Whether a browser uses this method to load parts of a page. With other methods, the body can decide the answer. */
function loadsParts(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Whether the path is that of a file of a page, or Sec-Fetch-Dest claims a part of a page. A program can claim this
 * with every request.
 */
export function isPartOfPage(facts: Pick<Facts, 'method' | 'url' | 'headers'>): boolean {
  const isPart = PART.has(facts.headers['sec-fetch-dest'] ?? '') && loadsParts(facts.method);
  return isPart || isFileOfPage(facts);
}

/** Whether the request is for the page inside a frame. */
export function isFrame(headers: Facts['headers']): boolean {
  return headers['sec-fetch-dest'] === 'iframe' || headers['sec-fetch-dest'] === 'frame';
}

/**
 * Whether the request claims to load a frame, an `<object>` or an `<embed>` for a page of the same origin. A program can
 * claim this.
 */
export function isOwnFrame({ headers }: Pick<Facts, 'headers'>): boolean {
  const destination = headers['sec-fetch-dest'];
  const isPlugin = destination === 'object' || destination === 'embed';
  return (isFrame(headers) || isPlugin) && headers['sec-fetch-site'] === 'same-origin';
}

/** Values of Sec-Fetch-Dest for media: files without text. */
const MEDIA: ReadonlySet<string> = new Set(['audio', 'font', 'image', 'video']);

/**
 * Whether the request claims to load media: a picture, sound, a film or a font. Over http browsers send no fetch
 * metadata. There, a request for media has an Accept that starts with a type of media. A program can claim this with
 * every request.
 */
export function claimsMedia({ method, headers }: Pick<Facts, 'method' | 'headers'>): boolean {
  if (!loadsParts(method)) return false;
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined) return MEDIA.has(destination);
  return /^(?:audio|font|image|video)\//i.test(headers['accept'] ?? '');
}

/**
 * Whether the request is for a page that a person sees. Some API callers pass few header fields. So a request without
 * Sec-Fetch-Dest for the path of a file is no page.
 */
export function isPage(facts: Pick<Facts, 'method' | 'url' | 'headers'>): boolean {
  if (representationFor(facts) !== 'html') return false;
  return facts.headers['sec-fetch-dest'] !== undefined || !isFileOfPage(facts);
}

/**
 * Whether budgets count the request as a page. Over http, and in Safari before 16.4, there is no fetch metadata. Then
 * Accept names HTML for each page, and has only a wildcard for scripts and fetches. A program can send a wildcard for a
 * page too, but Guard then counts its documents as documents requested as data.
 */
export function countsAsPage(facts: Pick<Facts, 'method' | 'url' | 'headers'>): boolean {
  if (!isPage(facts)) return false;
  const { headers } = facts;
  const hasMetadata =
    headers['sec-fetch-dest'] !== undefined || headers['sec-fetch-mode'] !== undefined;
  return hasMetadata || !headers['accept'] || readPageWish(headers['accept']).named;
}
