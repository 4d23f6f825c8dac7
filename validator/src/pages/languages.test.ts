import { describe, expect, test } from 'vitest';
import { chooseLanguage } from './choose-language.ts';
import { languages } from './languages.ts';
import type { Messages, ScreenText } from './messages.ts';

const SCREENS = [
  'checking',
  'opening',
  'resend',
  'elsewhere',
  'retry',
  'failed',
  'cookies',
  'noScript',
  'blocked',
  'rateLimited',
  'unreachable',
  'busy',
] as const;
const LABELS = ['adviceHeading', 'tryAgain', 'send', 'goBack', 'reference', 'support'] as const;

/**
 * Longest texts, in characters. On a phone such a heading takes at most three lines, and such a button takes one line.
 */
const MAX = { heading: 60, paragraph: 240, label: 42 };

describe('Accept-Language chooses the language (RFC 9110, 12.5.4)', () => {
  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['xx,fr;q=0.5,es;q=0.7', 'es'],
    ['en;q=0.1, FR-ca', 'fr'],
    ['de;q=0, es;q=0.1', 'es'],
    ['de;q=7, xx', 'en'],
    ['*', 'en'],
    ['constructor,__proto__-tw', 'en'],
    [`${'x,'.repeat(5000)}de`, 'en'],
  ])('the Accept-Language %j gets %s', (header, language) => {
    expect(chooseLanguage(header).language).toBe(language);
  });

  test.each([
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh-Hant', 'zh-Hant'],
    ['zh-Hans-HK', 'zh-Hans'],
    ['zh-Hant-CN', 'zh-Hant'],
    ['pt', 'pt-BR'],
    ['pt-BR', 'pt-BR'],
    ['pt-PT,pt;q=0.9', 'pt-PT'],
    ['pt-AO', 'pt-PT'],
    ['iw', 'he'],
    ['ar-EG', 'ar'],
  ])('BCP 47: the script or region of %s leads to %s', (header, language) => {
    expect(chooseLanguage(header).language).toBe(language);
  });
});

describe('every language has every text', () => {
  test('there are at least 12 languages, each with its own valid tag', () => {
    expect(languages.length).toBeGreaterThanOrEqual(12);
    const tags = languages.map(({ language }) => language);
    expect(new Set(tags).size).toBe(tags.length);
    expect(Intl.getCanonicalLocales(tags)).toEqual(tags);
  });

  test.each(languages)('$language has every text, and no text is too long', (messages) => {
    for (const [place, text, max] of texts(messages)) {
      expect(text.trim(), place).toBe(text);
      expect(text.length, place).toBeGreaterThan(1);
      expect(text.length, `${place}: ${text}`).toBeLessThanOrEqual(max);
      expect(text, place).not.toMatch(/[{}<>]/);
    }
    expect(messages.advice).toHaveLength(languages[0].advice.length);
  });

  test.each(languages)('$language is written in its own script and direction', (messages) => {
    const { language, direction } = messages;
    expect(direction).toBe(['ar', 'he'].includes(language) ? 'rtl' : 'ltr');
    const script = SCRIPTS[language.split('-', 1)[0] ?? ''];
    if (!script) return;
    for (const screen of SCREENS) expect(messages[screen].text).toMatch(script);
  });

  test('no other language contains an English text', () => {
    const [english, ...others] = languages;
    for (const messages of others) {
      for (const screen of SCREENS) {
        expect(messages[screen].heading, messages.language).not.toBe(english[screen].heading);
      }
    }
  });
});

/** A pattern with letters of the language, for languages without Latin letters. Each paragraph must match it. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  ar: /\p{Script=Arabic}/u,
  he: /\p{Script=Hebrew}/u,
  ja: /\p{Script=Hiragana}/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
  uk: /\p{Script=Cyrillic}/u,
  zh: /\p{Script=Han}/u,
};

function texts(messages: Messages): (readonly [place: string, text: string, max: number])[] {
  return [
    ...SCREENS.flatMap((screen) => screenTexts(screen, messages[screen])),
    ...LABELS.map((label) => [label, messages[label], MAX.label] as const),
    ...messages.advice.map((text) => ['advice', text, MAX.paragraph] as const),
    ['resubmission', messages.resubmission, MAX.paragraph] as const,
  ];
}

function screenTexts(place: string, { heading, text }: ScreenText) {
  return [[place, heading, MAX.heading] as const, [place, text, MAX.paragraph] as const];
}
