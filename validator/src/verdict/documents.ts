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

/** Which answers count as documents, and for whom. */

/**
 * Whether an answer counts as a document. At the path of a file, data counts too: an application can answer each path
 * with what a parameter names. In answer to a preflight, data does not count, because some servers send it there. A
 * stored file without a type counts only at a path that is not that of a file.
 */
export function isDocument(how: Ending, facts: Facts): boolean {
  switch (how) {
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
 * Whether the request is for a plain file, or is a preflight. The path of a file that an application answers is no
 * plain file: the application can send a page in a script (JSONP), and a script does not count as a document.
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
 * Whether the request of a visitor who passed is for a part of a page. Applications send many parts at paths behind a
 * script of theirs, and a pass has to allow these. A request with a parameter that asks for text is no plain part,
 * because few pages have such a part.
 */
export function isPlainPart(facts: Facts): boolean {
  return isPartOfPage(facts) && !asksForText(facts, NO_FINDINGS);
}

/**
 * Whether a foreign page made the request in a visitor's browser. Navigations are not meant here. Requests of foreign
 * pages have their own counters, so that they take nothing from the open pages of the site.
 */
export function isForeign(facts: Facts): boolean {
  return facts.headers['sec-fetch-site'] === 'cross-site' && !countsAsPage(facts);
}

/**
 * Each page can load a web app manifest, which is data, without its cookie. A browser with open tools for developers
 * loads a source map for each script. So these files have counters of their own, and take nothing from other requests.
 */
export function isFileOfData({ url }: Facts): boolean {
  return /\.(?:webmanifest|map)$/i.test(url.path);
}

/** The client shape. What foreign pages load has shapes of its own, so that it takes nothing from other pages. */
export function shapeOf(facts: Facts): string {
  const shape = clientShape(facts);
  return isForeign(facts) ? `${shape} foreign` : shape;
}

/** The end of the name of a counter. Requests of foreign pages and files of data have counters of their own. */
export function apart(facts: Facts): string {
  if (isForeign(facts)) return ' foreign';
  return isFileOfData(facts) ? ' files of data' : '';
}
