import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';
import { headerOf } from './header-of.ts';

/**
 * Finds an upload whose Accept-Language has no language in common with the page. Privacy modes shorten or reorder both
 * lists and change the weights, but keep the first language in both.
 */
export const judgeLanguages: Judge = ({ evidence, request }) => {
  const header = headerOf(request.headers['accept-language']);
  const headerLanguages = header.split(',').map(primary);
  const pageLanguages = (valueOfReading(evidence.readings.languages)?.all ?? []).map(primary);
  const isComparable =
    pageLanguages.length > 0 && headerLanguages.every((language) => /^[a-z]{2,3}$/.test(language));
  return isComparable && !pageLanguages.some((language) => headerLanguages.includes(language))
    ? 'language_mismatch'
    : undefined;
};

/** The primary language of a tag (RFC 5646) in lower case. A region or a weight can follow it in the tag. */
function primary(range: string): string {
  return (/^\s*([^-;\s]*)/.exec(range)?.[1] ?? '').toLowerCase();
}
