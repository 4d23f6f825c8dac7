import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { parseDictionary, serializeInnerList, serializeItem } from './structured-field.ts';

/** A member of a dictionary, serialised again. Undefined when the text is no dictionary. */
function serializedMember(text: string, name = 'a'): string | undefined {
  const member = parseDictionary(text)?.get(name);
  if (member === undefined) return undefined;
  return member.kind === 'list' ? serializeInnerList(member) : serializeItem(member);
}

describe('a dictionary (RFC 9651 section 3.2)', () => {
  test.each([
    ['a=1', '1'],
    ['a=-15', '-15'],
    ['a="x \\"y\\" \\\\"', '"x \\"y\\" \\\\"'],
    ['a=token/1:x', 'token/1:x'],
    ['a=:AQID:', ':AQID:'],
    ['a=?0', '?0'],
    ['a', '?1'],
    ['a;x;y=2', '?1;x;y=2'],
    ['  a=1 ,\tb=2 ', '1'],
    ['a=1, a=2', '2'],
    ['a=("x"   "y";key="k" ) ;b', undefined],
    ['a=( "x"   "y";key="k" );created=1;tag="t"', '("x" "y";key="k");created=1;tag="t"'],
    ['a=();alg=?1', '();alg'],
    ['a=1;x=1;x=2', '1;x=2'],
  ])('%s', (text, expected) => {
    expect(serializedMember(text)).toBe(expected);
  });

  test.each([
    '',
    ',',
    'a=1,',
    'a=1 b=2',
    'A=1',
    'a=',
    'a=1.5',
    'a=1234567890123456',
    'a="x',
    'a="\\x"',
    'a="é"',
    'a=:AQ==',
    'a=?2',
    'a=(1 2',
    'a=("x""y")',
    'a=@1659578233',
    'a=%"x"',
  ])('is not read from the malformed text %s', (text) => {
    expect(parseDictionary(text)).toBeUndefined();
  });

  test('is bounded in length, members and items', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `a${at}=1`).join(',');
    expect(parseDictionary(many(64))?.size).toBe(64);
    expect(parseDictionary(many(65))).toBeUndefined();
    expect(parseDictionary(`a=(${'1 '.repeat(64)})`)).toBeDefined();
    expect(parseDictionary(`a=(${'1 '.repeat(65)})`)).toBeUndefined();
    expect(parseDictionary(`a="${'x'.repeat(8_192)}"`)).toBeUndefined();
  });
});

test('any text is parsed or refused, and a parsed text does not change when it is serialised and parsed again', () => {
  const random = seededRandom();
  const { seed } = random;
  const pieces: [string, ...string[]] = [
    'a',
    'b*',
    '=',
    '(',
    ')',
    ' ',
    '"x"',
    '1',
    ':AQID:',
    ';',
    ',',
    '\t',
    '?1',
    '-',
    '\\',
  ];
  let parsed = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const length = 1 + random.below(12);
    const text = Array.from({ length }, () => random.pick(pieces)).join('');
    const members = parseDictionary(text);
    if (members === undefined) continue;
    parsed += 1;
    for (const [name, member] of members) {
      const serialized =
        member.kind === 'list' ? serializeInnerList(member) : serializeItem(member);
      expect(
        serializedMember(`${name}=${serialized}`, name),
        `GUARD_TEST_SEED=${seed}: ${text}`,
      ).toBe(serialized);
    }
  }
  expect(parsed, `GUARD_TEST_SEED=${seed}`).toBeGreaterThan(100);
});
