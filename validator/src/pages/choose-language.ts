import { qualityOf } from '../request/accept.ts';
import { languages } from './languages.ts';
import type { Messages } from './messages.ts';

const MAX_CHARS = 256;

/** Two languages can have the same primary subtag. These regions and scripts select the second language. */
const SECOND_LANGUAGE: ReadonlyMap<
  string,
  { readonly subtags: readonly string[]; readonly tag: string }
> = new Map([
  // In Taiwan, Hong Kong and Macao, Chinese is written in traditional characters.
  ['zh', { subtags: ['hant', 'tw', 'hk', 'mo'], tag: 'zh-Hant' }],
  // In all these countries, Portuguese follows the norm of Portugal.
  ['pt', { subtags: ['pt', 'ao', 'mz', 'cv', 'gw', 'st', 'tl'], tag: 'pt-PT' }],
]);

const messagesByTag = new Map(languages.map((messages) => [messages.language, messages]));
const messagesByPrimary = new Map(
  // The list is reversed, because the last entry for a key of a Map wins, and the first language has to win.
  [...languages].reverse().map((messages) => [primaryOf(messages.language), messages]),
);

/**
 * Chooses the best language for an Accept-Language value (RFC 9110 section 12.5.4). The primary subtag decides, and for
 * Chinese and Portuguese also the script or region. A missing or malformed value gives the first language. Only 256
 * characters are read.
 */
export function chooseLanguage(acceptLanguage: string | undefined): Messages {
  let best = languages[0];
  let bestWeight = 0;
  for (const item of (acceptLanguage ?? '').slice(0, MAX_CHARS).split(',')) {
    const [range = '', ...parameters] = item.split(';');
    const weight = qualityOf(parameters);
    if (weight <= bestWeight) continue;
    const messages = messagesFor(range.trim().toLowerCase());
    if (!messages) continue;
    best = messages;
    bestWeight = weight;
  }
  return best;
}

function messagesFor(range: string): Messages | undefined {
  const [first = '', ...subtags] = range.split('-');
  // `iw` was the tag of Hebrew before 1989. Some browsers still send it.
  const primary = first === 'iw' ? 'he' : first;
  const secondLanguage = SECOND_LANGUAGE.get(primary);
  // A script has priority over a region: zh-Hans-HK is simplified Chinese.
  const secondMessages =
    secondLanguage &&
    !subtags.includes('hans') &&
    subtags.some((subtag) => secondLanguage.subtags.includes(subtag))
      ? messagesByTag.get(secondLanguage.tag)
      : undefined;
  return secondMessages ?? messagesByPrimary.get(primary);
}

function primaryOf(tag: string): string {
  return tag.split('-', 1)[0] ?? tag;
}
