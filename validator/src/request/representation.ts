import type { Facts } from './facts.ts';
import { readPageWish } from './accept.ts';

type Representation = 'html' | 'problem';

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
 * Chromium sends this value for every request that a service worker forwards, including pages. The mode `navigate`
 * shows a page, because no script can send it. A download link has both too, but its Accept names no type.
 */
const FROM_SERVICE_WORKER = 'empty';

/**
 * Whether a denied request is answered with a page or with `application/problem+json`. Navigations in a tab or a frame
 * get a page. So do clients that do not show what they want. A fetch, XHR, image, script or style sheet gets the
 * problem. So does a client that prefers another type to HTML.
 */
export function representationFor({ headers }: Pick<Facts, 'headers'>): Representation {
  return wantsPage(headers) ? 'html' : 'problem';
}

/**
 * Whether the request is a WebSocket handshake (RFC 6455). Chromium sends no Accept, no fetch metadata and no client
 * hints with it. The Upgrade header is not used, because nginx and HAProxy leave it out when they ask Guard.
 */
export function isHandshake(headers: Facts['headers']): boolean {
  return headers['sec-websocket-version'] !== undefined;
}

/**
 * Whether the request comes from a link that downloads a file (`<a download>`). Chromium sends no Accept, no client
 * hints and no Upgrade-Insecure-Requests with it. It counts as a request for data.
 */
export function isDownload(headers: Facts['headers']): boolean {
  return (
    headers['sec-fetch-dest'] === 'empty' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['accept'] === undefined
  );
}

function wantsPage(headers: Facts['headers']): boolean {
  if (isHandshake(headers)) return false;
  const destination = headers['sec-fetch-dest'];
  const mode = headers['sec-fetch-mode'];
  if (destination === FROM_SERVICE_WORKER) {
    return mode === 'navigate' && readPageWish(headers['accept']).named;
  }
  if (destination !== undefined && !DOCUMENTS.has(destination)) return false;
  if (mode !== undefined) return mode === 'navigate';
  if (destination !== undefined) return true;
  if (headers['x-requested-with']?.toLowerCase() === 'xmlhttprequest') return false;
  const { html, named, other } = readPageWish(headers['accept']);
  // For a page, a browser prefers HTML. When only a wildcard covers HTML, a named type counts more.
  return html > 0 && (named ? html >= other : html > other);
}

/** Paths of the files that a page loads. */
const FILE_OF_A_PAGE =
  /\.(?:avif|bmp|css|eot|gif|ico|jpe?g|js|map|mjs|mp3|mp4|oga|ogg|ogv|otf|png|svg|ttf|wasm|wav|webm|webmanifest|webp|woff2?)$/i;

/** Values of Sec-Fetch-Dest for files that a browser loads for a page (Fetch standard, section 2.2.7). */
const PART: ReadonlySet<string> = new Set('audio font image script style track video'.split(' '));

/** Whether the request loads a file of a page. Also true for a preflight, which needs no challenge of its own. */
export function isFileOfPage({ method, url }: Pick<Facts, 'method' | 'url'>): boolean {
  return method === 'OPTIONS' || (loadsParts(method) && FILE_OF_A_PAGE.test(url.path));
}

/** Whether the method can load parts of a page. With another method, the body can decide the answer. */
function loadsParts(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Whether the request loads a file of a page, or the browser says that it loads a part of a page. A program can claim
 * this with every request.
 */
export function isPartOfPage(facts: Pick<Facts, 'method' | 'url' | 'headers'>): boolean {
  const isPart = PART.has(facts.headers['sec-fetch-dest'] ?? '') && loadsParts(facts.method);
  return isPart || isFileOfPage(facts);
}

/** Whether the browser loads the page of a frame. */
export function isFrame(headers: Facts['headers']): boolean {
  return headers['sec-fetch-dest'] === 'iframe' || headers['sec-fetch-dest'] === 'frame';
}

/** Whether the browser says that it loads a frame of a page of the same origin. A program can claim this. */
export function isOwnFrame({ headers }: Pick<Facts, 'headers'>): boolean {
  return isFrame(headers) && headers['sec-fetch-site'] === 'same-origin';
}

/** Values of Sec-Fetch-Dest for files without text. */
const MEDIA: ReadonlySet<string> = new Set(['audio', 'font', 'image', 'video']);

/**
 * Whether the browser says that it loads a picture, sound, a film or a font. Over http a browser sends no fetch
 * metadata. Then its Accept starts with such a type. A program can claim this with every request.
 */
export function claimsMedia({ method, headers }: Pick<Facts, 'method' | 'headers'>): boolean {
  if (!loadsParts(method)) return false;
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined) return MEDIA.has(destination);
  return /^(?:audio|font|image|video)\//i.test(headers['accept'] ?? '');
}

/**
 * Whether the request is for a page that a person sees. A caller of the API may send few header fields. Then, without
 * Sec-Fetch-Dest, the path of a file is no page.
 */
export function isPage(facts: Pick<Facts, 'method' | 'url' | 'headers'>): boolean {
  if (representationFor(facts) !== 'html') return false;
  return facts.headers['sec-fetch-dest'] !== undefined || !isFileOfPage(facts);
}

/**
 * Whether the request counts as a page in budgets. Over http, and before Safari 16.4, browsers send no fetch metadata.
 * Then they name HTML for each page, and send only a wildcard with scripts and fetches. A program can send a wildcard
 * too, but its documents are counted like all documents that are requested as data.
 */
export function countsAsPage(facts: Pick<Facts, 'method' | 'url' | 'headers'>): boolean {
  if (!isPage(facts)) return false;
  const { headers } = facts;
  const hasMetadata =
    headers['sec-fetch-dest'] !== undefined || headers['sec-fetch-mode'] !== undefined;
  return hasMetadata || !headers['accept'] || readPageWish(headers['accept']).named;
}
