import type { Ending } from '@guard/config/contract/ports';
import {
  ANSWERED_BY_APPLICATION,
  ASKS_FOR_TEXT,
} from '@guard/config/settings/presets/preset-matches';
import { clientShape } from '../request/client-shape.ts';
import { isOwnOrigin } from '../request/form-source.ts';
import type { Facts } from '../request/facts.ts';
import {
  claimsMedia,
  countsAsPage,
  isFileOfPage,
  isHandshake,
  isPartOfPage,
} from '../request/representation.ts';
import { compileMatch } from '../rules/compile-match.ts';

/** Functions that decide which answers are counted as documents, and in which counters. */

/**
 * Whether an answer is counted as a document. At the path of a file, data is a document too, because a parameter can
 * make an application return data at any path. In answer to a preflight, data is no document, because some servers send
 * data there. A stored file without a content type is a document only when its path is not that of a file.
 */
export function isDocument(ending: Ending, facts: Facts): boolean {
  switch (ending) {
    case 'document':
      return true;
    case 'data':
      return facts.method !== 'OPTIONS' && isFileOfPage(facts);
    case 'file':
      return !isFileOfPage(facts);
    case 'content':
    case 'other':
      return false;
  }
}

/**
 * Whether no page can use this document: a page of another site that may not read it, HTML in place of a manifest or a
 * source map, or HTML or data in place of a picture, sound, film or font. `isShared` is from HoldBack.
 */
export function isUselessDocument(ending: Ending, isShared: boolean, facts: Facts): boolean {
  if (isFileOfPage(facts) && claimsMedia(facts)) return true;
  return ending === 'document' && ((isForeign(facts) && !isShared) || isFileOfData(facts));
}

const isByApplication = compileMatch(ANSWERED_BY_APPLICATION, 'some');
const NO_FINDINGS = { all: () => [] };

/**
 * Whether the request is a preflight, or asks for a plain file. When an application answers the path, it is no plain
 * file: the application can send a page inside a script (JSONP), and a script is not counted as a document.
 */
export function isPlainFile(facts: Facts): boolean {
  if (!isFileOfPage(facts)) return false;
  return facts.method === 'OPTIONS' || !isByApplication(facts, NO_FINDINGS);
}

/** Whether the request claims to be for media, and its URL does not show that an application answers it. */
export function isClaimedMedia(facts: Facts): boolean {
  return claimsMedia(facts) && !isByApplication(facts, NO_FINDINGS);
}

const asksForText = compileMatch(ASKS_FOR_TEXT, 'some');

/**
 * Whether the request of a visitor who passed is for a part of a page. Applications send many parts at paths below the
 * path of a script, and a pass has to allow these parts. A request with a parameter that asks for text is no plain
 * part, because few pages have such parts.
 */
export function isPlainPart(facts: Facts): boolean {
  return isPartOfPage(facts) && !asksForText(facts, NO_FINDINGS);
}

/**
 * Whether a page of another site made the request in a visitor's browser. Navigations are excluded. These requests have
 * their own counters, so that they use up no budget of the open pages of this site.
 */
export function isForeign(facts: Facts): boolean {
  return isFromOtherSite(facts) && !countsAsPage(facts);
}

/**
 * Whether a page of another site made the request. Browsers send no Sec-Fetch-Site with a WebSocket handshake, but
 * Origin. There, another host of the same site counts as another site.
 */
export function isFromOtherSite(facts: Pick<Facts, 'method' | 'url' | 'headers'>): boolean {
  const { 'sec-fetch-site': site, origin } = facts.headers;
  if (site !== undefined) return site === 'cross-site';
  return origin !== undefined && isHandshake(facts) && !isOwnOrigin(origin, facts);
}

/**
 * Whether the file is a web app manifest or a source map. Both are data. A browser loads the manifest without a cookie,
 * and with open developer tools it loads a source map for each script. These files have their own counters, so that
 * they use up no budget of other requests.
 */
export function isFileOfData(facts: Facts): boolean {
  return isFileOfPage(facts) && /\.(?:webmanifest|map)$/i.test(facts.url.path);
}

/** The client shape. Requests of foreign pages get their own shapes, so that they use up no budget of other pages. */
export function shapeOf(facts: Facts): string {
  const shape = clientShape(facts);
  return isForeign(facts) ? `${shape} foreign` : shape;
}

/** The suffix of a counter's name. Requests of foreign pages, manifests and source maps have their own counters. */
export function suffixOf(facts: Facts): string {
  if (isForeign(facts)) return ' foreign';
  return isFileOfData(facts) ? ' files of data' : '';
}
