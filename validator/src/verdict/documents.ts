import type { Ending } from '@guard/config/contract/ports';
import {
  ANSWERED_BY_APPLICATION,
  ASKS_FOR_TEXT,
} from '@guard/config/settings/presets/preset-matches';
import { clientShape } from '../request/client-shape.ts';
import type { Facts } from '../request/facts.ts';
import {
  claimsMedia,
  countsAsPage,
  isFileOfPage,
  isPartOfPage,
} from '../request/representation.ts';
import { compileMatch } from '../rules/compile-match.ts';

/** Functions that decide which answers count as documents, and for which visitors. */

/**
 * Whether an answer counts as a document. At the path of a file, data counts too, because an application can return at
 * any path what a parameter names. In answer to a preflight, data does not count, because some servers send data there.
 * A stored file without a type counts only when the path is not the path of a file.
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

const isByApplication = compileMatch(ANSWERED_BY_APPLICATION, 'some');
const NO_FINDINGS = { all: () => [] };

/**
 * Whether the request is a preflight, or asks for a plain file. A path that an application answers is no plain file:
 * the application can send a page inside a script (JSONP), and a script does not count as a document.
 */
export function isPlainFile(facts: Facts): boolean {
  if (!isFileOfPage(facts)) return false;
  return facts.method === 'OPTIONS' || !isByApplication(facts, NO_FINDINGS);
}

/** Whether the request claims to be for media, and no application answers it, as far as its URL shows. */
export function isClaimedMedia(facts: Facts): boolean {
  return claimsMedia(facts) && !isByApplication(facts, NO_FINDINGS);
}

const asksForText = compileMatch(ASKS_FOR_TEXT, 'some');

/**
 * Whether a visitor who passed asks for a part of a page. Applications send many parts at paths that follow the path of
 * a script, and a pass has to allow these parts. A request with a parameter that asks for text is no plain part,
 * because few pages have such a part.
 */
export function isPlainPart(facts: Facts): boolean {
  return isPartOfPage(facts) && !asksForText(facts, NO_FINDINGS);
}

/**
 * Whether a page of another site made the request in a visitor's browser. A navigation does not count as such a
 * request. These requests have their own counters, so that they take nothing from the open pages of this site.
 */
export function isForeign(facts: Facts): boolean {
  return facts.headers['sec-fetch-site'] === 'cross-site' && !countsAsPage(facts);
}

/**
 * Whether the file is a web app manifest or a source map. A browser loads the manifest, which is data, without its
 * cookie. A browser with open developer tools loads a source map for each script. These files have their own counters,
 * so that they take nothing from other requests.
 */
export function isFileOfData({ url }: Facts): boolean {
  return /\.(?:webmanifest|map)$/i.test(url.path);
}

/** The client shape. Requests of foreign pages get their own shapes, so that they take nothing from other pages. */
export function shapeOf(facts: Facts): string {
  const shape = clientShape(facts);
  return isForeign(facts) ? `${shape} foreign` : shape;
}

/** The suffix of a counter's name. Requests of foreign pages, manifests and source maps have their own counters. */
export function suffixOf(facts: Facts): string {
  if (isForeign(facts)) return ' foreign';
  return isFileOfData(facts) ? ' files of data' : '';
}
