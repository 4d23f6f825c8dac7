import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metrics } from '@guard/config/contract/metrics';
import { describe, expect, test } from 'vitest';

/** These tests check that the code has the log events, metrics and paths that the documentation names. */

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const pages = globSync('docs/guide/**/*.md', { cwd: root }).map((file) => ({
  file,
  words: [...read(file).matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word),
}));
const code = globSync('{config,gateway,validator,analytics,mcp,replay,server,cli}/src/**/*.ts', {
  cwd: root,
})
  .filter((file) => !file.endsWith('.test.ts'))
  .map(read)
  .join('\n');

/** Returns each word that matches the pattern, with the pages that have it. */
function wordsLike(form: RegExp): [word: string, files: string][] {
  const found = new Map<string, Set<string>>();
  for (const { file, words } of pages) {
    for (const word of words.filter((candidate) => form.test(candidate))) {
      found.set(word, (found.get(word) ?? new Set()).add(file));
    }
  }
  return [...found].map(([word, files]) => [word, [...files].join(', ')]);
}

/**
 * True if the code has the name as a whole word, or as a template with a variable last part:
 * `validator_breaker_${change}`.
 */
function isWritten(event: string): boolean {
  const parts = event.split('_');
  const beginnings = parts.slice(2).map((_part, index) => parts.slice(0, index + 2).join('_'));
  return (
    code.includes(`'${event}'`) ||
    beginnings.some((beginning) => code.includes(`\`${beginning}_\${`))
  );
}

describe('names in the documentation', () => {
  const events = wordsLike(
    /^(?:analytics|forward_auth|gateway|reload|store|validator|worker)(?:_[a-z]+)+$/,
  ).filter(([word]) => !/^(?:forward_auth|gateway_tls)$/.test(word));

  test('the scan finds names', () => {
    expect(events.length).toBeGreaterThan(12);
  });

  test.each(events)('log event %s (%s) is in the code', (event) => {
    expect(isWritten(event)).toBe(true);
  });

  test.each(wordsLike(/^guard_(?!stack_version)[a-z_]+$/))('metric %s (%s) exists', (metric) => {
    expect(Object.keys(metrics)).toContain(metric);
  });

  test.each(wordsLike(/^(?:examples|bench|eval)\/[\w./-]+$/))('%s (%s) exists', (path) => {
    expect(globSync(path.replace(/\/$/, ''), { cwd: root })).toHaveLength(1);
  });
});
