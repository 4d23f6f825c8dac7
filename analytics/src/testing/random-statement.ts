import type { SeededRandom } from '../../../test/kit/seeded-random.ts';

const PIECES = [
  ...['FROM', 'JOIN', 'AS', 'WITH', 'FORMAT', 'events'],
  ...['SELECT', 'x', 'file', 'a$', 'as', '_', 'e', 'E', 'p', 'é', '\u00a0', '\u2019'],
  ...[
    '1',
    '12',
    '0x',
    '0b1',
    '0x1f',
    '1e5',
    '1e',
    '1.5',
    '1_0',
    '1f',
    '9z',
    '.',
    '..',
    '.5',
    '.e1',
  ],
  ...["'", "''", "\\'", '"', '""', '`', '\\', '$', '$$', '$a$', "x'41'", "b'01'", "x'"],
  ...['--', '/*', '*/', '//', '/', '*', '#', '# ', '#!', '\n', '\r', ' ', '\t', '\f', '\v'],
  ...['(', ')', '[', ']', '{', '}', ',', ';', '::', ':', '->', '-', '+', '||', '|', '<=>', '<'],
  ...['=', '!', '?', '%', '^', '&', '~', '@', '@@', '\u0000'],
] as const;

/** Returns `SELECT` and random pieces, at most `pieces`. Few of these statements are valid. */
export function randomStatement(random: SeededRandom, pieces: number): string {
  const [first, ...rest] = PIECES;
  const length = 1 + random.below(pieces);
  return `SELECT ${Array.from({ length }, () => random.pick([first, ...rest])).join('')}`;
}
