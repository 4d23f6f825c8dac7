import type { Ending } from '@guard/config/contract/ports';
import {
  ANSWERED_BY_APPLICATION,
  ASKS_FOR_TEXT,
} from '@guard/config/settings/presets/preset-matches';
import { clientShape } from '../request/client-shape.ts';
import type { Facts } from '../request/facts.ts';
import { countsAsPage, isFileOfPage, isPartOfPage } from '../request/representation.ts';
import { compileMatch } from '../rules/compile-match.ts';

/** Which answers count as documents, and for whom. */

/**
 * Whether an answer counts as a document. For the path of a file, data does too: an application can answer each path
 * with what a parameter names. Some servers answer a preflight with data, so there it does not. A stored file without a
 * type is a page at any other path.
 */
export function isDocument(how: Ending, facts: Facts): boolean {
  switch (how) {
    case 'document':
      return true;
    case 'data':
      return facts.method !== 'OPTIONS' && isFileOfPage(facts);
    case 'file':
      return !isFileOfPage(facts);
    case 'other':
      return false;
  }
}

const isByApplication = compileMatch(ANSWERED_BY_APPLICATION, 'some');
const NO_FINDINGS = { all: () => [] };

/**
 * Whether the request is for a file, or is a preflight. Not for the path of a file that an application answers all the
 * same: its scripts can hold a page (JSONP), and a script is no document.
 */
export function isPlainFile(facts: Facts): boolean {
  if (!isFileOfPage(facts)) return false;
  return facts.method === 'OPTIONS' || !isByApplication(facts, NO_FINDINGS);
}

const asksForText = compileMatch(ASKS_FOR_TEXT, 'some');

/**
 * Whether the request of a visitor who passed is for a part of a page. Applications give many parts behind the name of
 * a script, and a pass has to allow them. Few pages have a part with a parameter that asks for text.
 */
export function isPlainPart(facts: Facts): boolean {
  return isPartOfPage(facts) && !asksForText(facts, NO_FINDINGS);
}

/**
 * Whether a foreign page made the request in a visitor's browser. Navigations are not counted here. Such requests
 * have their own counters, so that they take nothing from the open pages of the site.
 */
export function isForeign(facts: Facts): boolean {
  return facts.headers['sec-fetch-site'] === 'cross-site' && !countsAsPage(facts);
}

/**
 * Each page can load a web app manifest, which is data, without its cookie. A browser whose tools for developers are
 * open loads a source map for each script. So these files take nothing from others.
 */
export function isFileOfData({ url }: Facts): boolean {
  return /\.(?:webmanifest|map)$/i.test(url.path);
}

/** The shape of the client. What foreign pages load has shapes of its own, so that it takes nothing from other pages. */
export function shapeOf(facts: Facts): string {
  const shape = clientShape(facts);
  return isForeign(facts) ? `${shape} foreign` : shape;
}

/** The end of the names of counters that are apart from those of other requests. */
export function apart(facts: Facts): string {
  if (isForeign(facts)) return ' foreign';
  return isFileOfData(facts) ? ' files of data' : '';
}
