import { describe, expect, test } from 'vitest';
import { MAX_USER_AGENT_LENGTH, TokenMatcher } from './token-matcher.ts';

function createMatcher(...texts: string[]): TokenMatcher<string> {
  return new TokenMatcher(
    texts.map((text) => ({
      text: text.replace(/^\^/, ''),
      atStart: text.startsWith('^'),
      value: text,
    })),
  );
}

function findToken(userAgent: string, ...texts: string[]): string | undefined {
  return createMatcher(...texts).find(userAgent)?.value;
}

describe('a token', () => {
  test('is a whole word', () => {
    expect(findToken('Googlebot/2.1', 'Googlebot')).toBe('Googlebot');
    expect(findToken('(compatible; Googlebot)', 'Googlebot')).toBe('Googlebot');
    expect(findToken('Googlebot', 'Googlebot')).toBe('Googlebot');
    for (const userAgent of [
      'NotGooglebotX',
      'NotGooglebot',
      'GooglebotX',
      'My-Googlebot',
      '_Googlebot',
      'Googlebot2',
    ]) {
      expect(findToken(userAgent, 'Googlebot'), userAgent).toBeUndefined();
    }
  });

  test('can be followed by a hyphen, because operators continue names in this way', () => {
    expect(findToken('Baiduspider-render/2.0', 'Baiduspider')).toBe('Baiduspider');
  });

  test('is found in either case', () => {
    expect(findToken('GOOGLEBOT/2.1', 'Googlebot')).toBe('Googlebot');
    expect(findToken('googlebot/2.1', 'GoogleBot')).toBe('GoogleBot');
  });

  test('that is longer wins over its prefix, in any order', () => {
    for (const order of [
      ['Googlebot', 'Googlebot-Image'],
      ['Googlebot-Image', 'Googlebot'],
    ]) {
      expect(findToken('Googlebot-Image/1.0', ...order)).toBe('Googlebot-Image');
      expect(findToken('Googlebot-Images/1.0', ...order)).toBe('Googlebot');
      expect(findToken('Googlebot/2.1', ...order)).toBe('Googlebot');
    }
  });

  test('that comes first wins over a later token', () => {
    expect(findToken('TelegramBot (like TwitterBot)', 'Twitterbot', 'TelegramBot')).toBe(
      'TelegramBot',
    );
  });

  test('with `atStart` is found only at the start', () => {
    expect(findToken('Java/17', '^Java')).toBe('^Java');
    expect(findToken('UCWEB/2.0 (Java; U)', '^Java')).toBeUndefined();
  });

  test('can contain any character, and end with any character', () => {
    expect(findToken('http.rb/5 (Mastodon/4.2; +x)', '(Mastodon/')).toBe('(Mastodon/');
    expect(findToken('got (https://github.com/sindresorhus/got)', 'sindresorhus/got')).toBe(
      'sindresorhus/got',
    );
  });

  test(`is found only within the first ${MAX_USER_AGENT_LENGTH} characters`, () => {
    const before = ' '.repeat(MAX_USER_AGENT_LENGTH - 'Googlebot'.length);
    expect(findToken(`${before}Googlebot`, 'Googlebot')).toBe('Googlebot');
    expect(findToken(`${before} Googlebot`, 'Googlebot')).toBeUndefined();
  });

  test('given twice, or empty, is an error', () => {
    expect(() => createMatcher('curl', 'CURL')).toThrow('given twice');
    expect(() => createMatcher('')).toThrow(TypeError);
    expect(() => createMatcher('curl', '^curl')).not.toThrow();
  });
});
