import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { expect, test } from 'vitest';
import { memberCount, scanJson } from './json-shape.ts';

test.each([
  ['{}', 1, 0],
  ['{"a":1,"b":[1,{"c":2}]}', 3, 2],
  ['{"a":{"b":1,"c":{"d":1}}}', 3, 3],
  ['{"a:b":"c:d","e":{":":":"}}', 2, 3],
  ['{"a\\"":"\\\\","b":"\\\\\\"{"}', 1, 2],
  ['"{[:"', 0, 0],
])('%s has depth %i and %i members', (text, depth, members) => {
  expect(scanJson(text, 16)).toEqual({ depth, members });
});

test('counting stops above the allowed depth', () => {
  expect(scanJson('['.repeat(100_000), 16).depth).toBe(17);
});

const random = seededRandom();
const TEXTS = ['', 'a', '"', '\\', '\\"', ':', '{', ']', 'é', '\ud83d\ude00', '\n', 'url'] as const;
const someText = () => Array.from({ length: random.below(4) }, () => random.pick(TEXTS)).join('');

/** An object of two levels whose names are all different, and its JSON with random white space. */
function someObject(level: number): { value: Record<string, unknown>; text: string } {
  const value: Record<string, unknown> = {};
  const parts: string[] = [];
  for (let i = 0; i < random.below(6); i++) {
    const name = `${someText()}${i}`;
    const inner = level < 2 && random.below(3) === 0 ? someObject(level + 1) : undefined;
    const leaf = random.pick<unknown>([someText(), 1.5e3, null, [someText(), { x: someText() }]]);
    value[name] = inner?.value ?? leaf;
    const space = random.pick(['', ' ', '\n\t']);
    parts.push(`${JSON.stringify(name)}${space}:${space}${inner?.text ?? JSON.stringify(leaf)}`);
  }
  return { value, text: `{${parts.join(random.pick([',', ' , ']))}}` };
}

test(`a text has as many members as its parsed value, unless a name occurs twice; seed ${random.seed}`, () => {
  for (let i = 0; i < 2_000; i++) {
    const { value, text } = someObject(1);
    expect(JSON.parse(text)).toEqual(value);
    expect(scanJson(text, 16).members).toBe(memberCount(value));
    const [name] = Object.keys(value);
    if (name === undefined) continue;
    const textWithNameTwice = `${text.slice(0, -1)},${JSON.stringify(name)}:0}`;
    expect(scanJson(textWithNameTwice, 16).members).not.toBe(
      memberCount(JSON.parse(textWithNameTwice) as object),
    );
  }
});
