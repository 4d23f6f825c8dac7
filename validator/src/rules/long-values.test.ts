import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { at, matches } from '../../../test/kit/product/rule-matches.ts';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { curl, visit } from '../../../test/kit/visitors/visitors.ts';

describe('a long value is tested to its end', () => {
  const padding = 'x'.repeat(16_000);
  const agent = (userAgent: string) => ({ headers: { ...curl, 'user-agent': userAgent } });

  test.each([
    ['user_agent', { user_agent: { regex: 'sqlmap' } }, agent(`${padding}sqlmap/1.8`)],
    ['header', { header: { 'x-a': { regex: 'bad$' } } }, { headers: { 'x-a': `${padding}bad` } }],
    ['query', { query: { q: { regex: 'union.*select' } } }, at(`/?q=${padding}union+select`)],
    ['path', { path: { regex: '(?i)\\.php$' } }, at(`/${padding}.PHP`)],
    ['not', { not: { user_agent: { regex: '^x*$' } } }, agent(`${padding}y`)],
  ])('%s: a rule that blocks', async (_name, match, visitor) => {
    expect(await matches(match, visitor)).toBe(true);
  });

  test.each([
    ['user_agent', { user_agent: { regex: '^x*$' } }, agent(`${padding}y`)],
    ['query', { query: { q: { regex: '^x*$' } } }, at(`/?q=${padding}y`)],
    ['path', { path: { regex: '^/x*$' } }, at(`/${padding}y`)],
    ['not', { not: { user_agent: { regex: 'y$' } } }, agent(`${padding}y`)],
  ])('%s: a rule that allows', async (_name, match, visitor) => {
    const rules = [
      { name: 'open', match, verdict: 'allow' },
      { name: 'rest', match: {}, verdict: 'block' },
    ];
    expect((await validatorWith(stringify(rules)).ask(visit(visitor))).decision).toBe('block');
  });
});
