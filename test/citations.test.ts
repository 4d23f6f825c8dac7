import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Comments, titles and documents cite a section of docs/contract.md, or a rule of section 4.1 by its number. */

const root = join(import.meta.dirname, '..');
const CONTRACT = 'docs/contract.md';
const contract = readFileSync(join(root, CONTRACT), 'utf8');
const citable = new Set(
  contract
    .split(/^#{2,3} /m)
    .slice(1)
    .flatMap(targetsOf),
);

const LIST = /\bcontract (\d+(?:\.\d+)?(?:(?:,| and| to)?(?: rules?)? \d+(?:\.\d+)?)*)/gi;

const files = globSync('**/*.{ts,mjs,md}', {
  cwd: root,
  // The file name without its folders.
  exclude: (name) => name === 'node_modules' || name === 'dist',
})
  .filter((file) => file !== CONTRACT && join(root, file) !== import.meta.filename)
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

const cited = files.flatMap(({ file, text }) =>
  citationsIn(text).map((target) => ({ file, target })),
);

test('comments cite sections and numbered points that docs/contract.md has', () => {
  const dangling = cited.filter(({ target }) => !citable.has(target));
  expect(dangling).toEqual([]);
  expect(cited.length, 'the scan saw the citations').toBeGreaterThan(200);
});

test('no comment cites a document that is not in the repository', () => {
  const others = files.filter(({ text }) => /\bspec(?: section)? \d/i.test(text));
  expect(others.map(({ file }) => file)).toEqual([]);
});

test('lists, ranges and rules in a citation are read separately, also over two lines', () => {
  const text = 'contract 4.3, 5 and 9.9 (contract\n * 4.1 rules 2 to 7, contract 1.3): contract 8.';
  const targets = ['4.3', '5', '9.9', '4.1', '4.1 rule 2', '4.1 rule 7', '1.3', '8'];
  expect(citationsIn(text)).toEqual(targets);
  expect(targets.filter((target) => !citable.has(target))).toEqual(['9.9', '4.1 rule 7']);
});

/**
 * Returns the valid citations of a section: its number, `1.3` for a point of section 1, and `4.1 rule 2` for a rule of
 * section 4.1.
 */
function targetsOf(section: string): string[] {
  const number = /^\d+(?:\.\d+)?/.exec(section)?.[0];
  if (number === undefined) return [];
  const points = [...section.slice(section.indexOf('\n')).matchAll(/^(\d+)\. /gm)];
  const link = number.includes('.') ? ' rule ' : '.';
  return [number, ...points.map(([, point = '']) => `${number}${link}${point}`)];
}

function citationsIn(text: string): string[] {
  const flowing = text.replaceAll(/\n *(?:\*|\/\/) */g, ' ');
  return [...flowing.matchAll(LIST)].flatMap(([, list = '']) => {
    let section = '';
    let isRule = false;
    return [...list.matchAll(/(rules?|to)? ?(\d+(?:\.\d+)?)/g)].map(([, word, number = '']) => {
      isRule = word === 'to' ? isRule : word !== undefined;
      if (isRule) return `${section} rule ${number}`;
      section = number;
      return section;
    });
  });
}
