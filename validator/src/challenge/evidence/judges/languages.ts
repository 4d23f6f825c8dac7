import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** Longest part of Accept-Language that is used, in UTF-16 code units. */
const MAX_HEADER_CHARS = 512;

/**
 * Finds an upload whose Accept-Language has no language in common with the page. Privacy modes shorten or reorder both
 * lists and change the weights, but keep the first language in both.
 */
export const judgeLanguages: Judge = ({ evidence, request }) => {
  const header = request.headers['accept-language'];
  if (typeof header !== 'string') return undefined;
  const headerLanguages = header.slice(0, MAX_HEADER_CHARS).split(',').map(primary);
  const pageLanguages = (valueOfReading(evidence.readings.languages)?.all ?? []).map(primary);
  const isComparable =
    pageLanguages.length > 0 && headerLanguages.every((language) => /^[a-z]{2,3}$/.test(language));
  return isComparable && !pageLanguages.some((language) => headerLanguages.includes(language))
    ? 'language_mismatch'
    : undefined;
};

/** The primary language of a tag (RFC 5646) in lower case. A region or a weight may follow. */
function primary(range: string): string {
  return (/^\s*([^-;\s]*)/.exec(range)?.[1] ?? '').toLowerCase();
}
