import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** Longest part of Accept-Language that is used, in UTF-16 code units. */
const MAX_HEADER_CHARS = 512;

/**
 * The upload's Accept-Language and the page have no language in common. Privacy modes shorten or reorder the lists
 * and change the weights, but keep the first language in both.
 */
export const judgeLanguages: Judge = ({ evidence, request }) => {
  const header = request.headers['accept-language'];
  if (typeof header !== 'string') return undefined;
  const asked = header.slice(0, MAX_HEADER_CHARS).split(',').map(primary);
  const seen = (known(evidence.readings.languages)?.all ?? []).map(primary);
  const comparable = seen.length > 0 && asked.every((language) => /^[a-z]{2,3}$/.test(language));
  return comparable && !seen.some((language) => asked.includes(language))
    ? 'language_mismatch'
    : undefined;
};

/** RFC 5646: the primary language of a tag in lower case. A weight or a region may follow it here. */
function primary(range: string): string {
  return (/^\s*([^-;\s]*)/.exec(range)?.[1] ?? '').toLowerCase();
}
