import { describe, expect, test } from 'vitest';
import { readHeaders } from './header-fields.ts';

/** The fields that a body's `headers` come to; undefined when they are refused. */
function fieldsOf(json: string): Readonly<Record<string, string>> | undefined {
  const read = readHeaders(JSON.parse(json));
  return read.kind === 'headers' ? read.headers : undefined;
}

describe('contract 2.1: the `headers` of a described request', () => {
  test.each([
    ['sent in lower case', '{"accept":"*/*"}'],
    ['sent in any case', '{"Accept":"*/*"}'],
  ])('%s are a map without a prototype', (_, json) => {
    const fields = fieldsOf(json);
    expect(fields?.['accept']).toBe('*/*');
    expect(fields?.['constructor']).toBeUndefined();
    expect(fields?.['__proto__']).toBeUndefined();
  });

  test.each(['constructor', '__proto__', 'hasownproperty'])('a field may be called %s', (name) => {
    for (const sent of [name, name.toUpperCase()]) {
      const fields = fieldsOf(`{"${sent}":"a","accept":"*/*"}`);
      expect(Object.entries(fields ?? {})).toEqual([
        [name, 'a'],
        ['accept', '*/*'],
      ]);
    }
  });

  test('RFC 9110 5.3: names that differ in case are one field, `cookie` joined with a semicolon', () => {
    const json = '{"Accept":"a","accept":"b","cookie":"c=1","Cookie":"d=2"}';
    expect({ ...fieldsOf(json) }).toEqual({ accept: 'a, b', cookie: 'c=1; d=2' });
  });

  test.each(['accept', 'Accept'])(
    'half a surrogate pair in a value of %s becomes U+FFFD',
    (name) => {
      expect(fieldsOf(`{"${name}":"a\\ud800b"}`)?.['accept']).toBe('a\u{fffd}b');
    },
  );

  test('what is no text, whatever stands before it, is refused', () => {
    expect(fieldsOf('{"accept":"*/*","te":1}')).toBeUndefined();
    expect(fieldsOf('{"accept":"*/*","te":null}')).toBeUndefined();
    expect(fieldsOf('["accept"]')).toBeUndefined();
  });
});
