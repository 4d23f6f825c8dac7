import { de } from './locales/de.ts';
import { en } from './locales/en.ts';
import { es } from './locales/es.ts';
import { fr } from './locales/fr.ts';
import type { Messages } from './messages.ts';

/** Every language the pages speak; the first is used when none fits. */
export const languages: readonly [Messages, ...Messages[]] = [en, de, fr, es];

const MAX_CHARS = 256;

/**
 * The best of our languages for an Accept-Language value (RFC 9110, 12.5.4; basic filtering of the
 * first subtag). Missing or broken values mean the first language. Reads at most 256 characters.
 */
export function chooseLanguage(acceptLanguage: string | undefined): Messages {
  let best = languages[0];
  let bestWeight = 0;
  for (const item of (acceptLanguage ?? '').slice(0, MAX_CHARS).split(',')) {
    const [range = '', ...parameters] = item.split(';');
    const weight = weightOf(parameters);
    if (weight <= bestWeight) continue;
    const primary = range.trim().split('-', 1)[0]?.toLowerCase();
    const found = languages.find(({ language }) => language === primary);
    if (!found) continue;
    best = found;
    bestWeight = weight;
  }
  return best;
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
