import { languages } from './languages.ts';
import type { Messages } from './messages.ts';

const MAX_CHARS = 256;

/** Subtags by which a region or a script asks for another of our languages than the first of its kind. */
const IMPLIED: ReadonlyMap<string, { readonly subtags: readonly string[]; readonly tag: string }> =
  new Map([
    // Chinese is written in traditional characters in Taiwan, Hong Kong and Macao.
    ['zh', { subtags: ['hant', 'tw', 'hk', 'mo'], tag: 'zh-Hant' }],
    // Outside of Brazil, Portuguese follows the norm of Portugal.
    ['pt', { subtags: ['pt', 'ao', 'mz', 'cv', 'gw', 'st', 'tl'], tag: 'pt-PT' }],
  ]);

const byTag = new Map(languages.map((messages) => [messages.language, messages]));
const byPrimary = new Map(
  // Reversed: of several languages with one primary subtag, the first of the list stays.
  [...languages].reverse().map((messages) => [primaryOf(messages.language), messages]),
);

/**
 * The best of our languages for an Accept-Language value (RFC 9110, 12.5.4): the primary subtag
 * chooses, and for Chinese and Portuguese the script or region. Missing or broken values mean the
 * first language. Reads at most 256 characters.
 */
export function chooseLanguage(acceptLanguage: string | undefined): Messages {
  let best = languages[0];
  let bestWeight = 0;
  for (const item of (acceptLanguage ?? '').slice(0, MAX_CHARS).split(',')) {
    const [range = '', ...parameters] = item.split(';');
    const weight = weightOf(parameters);
    if (weight <= bestWeight) continue;
    const found = messagesFor(range.trim().toLowerCase());
    if (!found) continue;
    best = found;
    bestWeight = weight;
  }
  return best;
}

function messagesFor(range: string): Messages | undefined {
  const [first = '', ...subtags] = range.split('-');
  // `iw` is what Hebrew was called before 1989; some browsers still say so.
  const primary = first === 'iw' ? 'he' : first;
  const implied = IMPLIED.get(primary);
  // A script stands before the region and outweighs it: zh-Hans-HK is simplified.
  const tagged =
    implied && !subtags.includes('hans') && subtags.some((one) => implied.subtags.includes(one))
      ? byTag.get(implied.tag)
      : undefined;
  return tagged ?? byPrimary.get(primary);
}

function primaryOf(tag: string): string {
  return tag.split('-', 1)[0] ?? tag;
}

/** The quality of one range: 1 without `q`, 0 (not acceptable) when it makes no sense. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name, value] = parameter.split('=');
    if (name?.trim().toLowerCase() !== 'q') continue;
    const weight = Number(value);
    return weight >= 0 && weight <= 1 ? weight : 0;
  }
  return 1;
}
