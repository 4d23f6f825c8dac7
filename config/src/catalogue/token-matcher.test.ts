import { describe, expect, test } from 'vitest';
import { MAX_USER_AGENT_LENGTH, TokenMatcher } from './token-matcher.ts';

function matcher(...texts: string[]): TokenMatcher<string> {
  return new TokenMatcher(
    texts.map((text) => ({
      text: text.replace(/^\^/, ''),
      atStart: text.startsWith('^'),
      value: text,
    })),
  );
}

function find(userAgent: string, ...texts: string[]): string | undefined {
  return matcher(...texts).find(userAgent)?.value;
}

describe('a token', () => {
  test('is a whole word', () => {
    expect(find('Googlebot/2.1', 'Googlebot')).toBe('Googlebot');
    expect(find('(compatible; Googlebot)', 'Googlebot')).toBe('Googlebot');
    expect(find('Googlebot', 'Googlebot')).toBe('Googlebot');
    for (const other of [
      'NotGooglebotX',
      'NotGooglebot',
      'GooglebotX',
      'My-Googlebot',
      '_Googlebot',
      'Googlebot2',
    ]) {
      expect(find(other, 'Googlebot'), other).toBeUndefined();
    }
  });

  test('may be continued by a hyphen, as operators do', () => {
    expect(find('Baiduspider-render/2.0', 'Baiduspider')).toBe('Baiduspider');
  });

  test('is found in either case', () => {
    expect(find('GOOGLEBOT/2.1', 'Googlebot')).toBe('Googlebot');
    expect(find('googlebot/2.1', 'GoogleBot')).toBe('GoogleBot');
  });

  test('that is longer wins over its prefix, in any order', () => {
    for (const order of [
      ['Googlebot', 'Googlebot-Image'],
      ['Googlebot-Image', 'Googlebot'],
    ]) {
      expect(find('Googlebot-Image/1.0', ...order)).toBe('Googlebot-Image');
      expect(find('Googlebot-Images/1.0', ...order)).toBe('Googlebot');
      expect(find('Googlebot/2.1', ...order)).toBe('Googlebot');
    }
  });

  test('that comes first wins over a later one', () => {
    expect(find('TelegramBot (like TwitterBot)', 'Twitterbot', 'TelegramBot')).toBe('TelegramBot');
  });

  test('with `atStart` counts only at the start', () => {
    expect(find('Java/17', '^Java')).toBe('^Java');
    expect(find('UCWEB/2.0 (Java; U)', '^Java')).toBeUndefined();
  });

  test('may contain and end with any character', () => {
    expect(find('http.rb/5 (Mastodon/4.2; +x)', '(Mastodon/')).toBe('(Mastodon/');
    expect(find('got (https://github.com/sindresorhus/got)', 'sindresorhus/got')).toBe(
      'sindresorhus/got',
    );
  });

  test(`counts only within the first ${MAX_USER_AGENT_LENGTH} characters`, () => {
    const before = ' '.repeat(MAX_USER_AGENT_LENGTH - 'Googlebot'.length);
    expect(find(`${before}Googlebot`, 'Googlebot')).toBe('Googlebot');
    expect(find(`${before} Googlebot`, 'Googlebot')).toBeUndefined();
  });

  test('given twice, or empty, is an error', () => {
    expect(() => matcher('curl', 'CURL')).toThrow('given twice');
    expect(() => matcher('')).toThrow(TypeError);
    expect(() => matcher('curl', '^curl')).not.toThrow();
  });
});
