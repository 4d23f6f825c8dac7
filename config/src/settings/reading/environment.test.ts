import { chownSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../../../test/kit/test-folder.ts';
import {
  type Environment,
  MAX_VALUE_BYTES,
  substitute,
  withEnvironmentFile,
} from './environment.ts';
import { parseSettings } from '../load.ts';

const env = { NAME: 'value', BRACES: '${NAME}', EMPTY: '', _x1: 'y' };

test.each([
  ['plain', 'plain', false],
  ['${NAME}', 'value', true],
  ['a-${NAME}-${_x1}', 'a-value-y', true],
  // The value of a variable is not searched for variables again.
  ['${BRACES}', '${NAME}', true],
  ['$${NAME}', '${NAME}', false],
  ['$NAME $ {NAME} $', '$NAME $ {NAME} $', false],
])('%s becomes %s', (text, value, interpolated) => {
  expect(substitute(text, env)).toEqual({ value, interpolated, missing: [], files: [] });
});

test('every missing, empty or malformed variable is named', () => {
  const { value, missing } = substitute('${A}${EMPTY}${NAME}${A-B}${toString} ${open', env);
  expect(value).toBeUndefined();
  expect(missing.map(({ kind, written }) => `${kind} ${written}`)).toEqual([
    'unset ${A}',
    'unset ${EMPTY}',
    'malformed ${A-B}',
    'unset ${toString}',
    'malformed ${open',
  ]);
  expect(missing[1]?.message).toBe(
    'the environment variable EMPTY is empty; give it a value there, or in the .env file beside this one (guard.env for guard.yaml)',
  );
});

describe('NAME_FILE: the value is in a file', () => {
  const folder = testFolder();
  const writeTestFile = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const messageOf = (variables: Environment) => substitute('${S}', variables).missing[0]?.message;

  test.each([
    ['s3cret: "x"', 's3cret: "x"'],
    ['one line end is dropped\n', 'one line end is dropped'],
    ['also a Windows one\r\n', 'also a Windows one'],
    ['two lines\nand an empty one\n\n', 'two lines\nand an empty one\n'],
    ['${NAME} is text', '${NAME} is text'],
  ])('%j', (content, value) => {
    const path = writeTestFile('value', content);
    const outcome = substitute('a-${S}', { S_FILE: path, NAME: 'x' });
    expect(outcome).toEqual({
      value: `a-${value}`,
      interpolated: true,
      missing: [],
      files: [path],
    });
  });

  test('the file is used when the variable is empty; a value in both is refused', () => {
    const path = writeTestFile('one', 'from the file');
    expect(substitute('${S}', { S: '', S_FILE: path }).value).toBe('from the file');
    expect(substitute('${S}', { S: 'x', S_FILE: '' }).value).toBe('x');
    expect(messageOf({ S: 'x', S_FILE: path })).toBe(
      'the environment has both S and S_FILE; keep one of them',
    );
  });

  test('the problem of a file without a valid value gives the reason and never shows the content', () => {
    expect(messageOf({ S_FILE: 'secret.txt' })).toContain('S_FILE is no absolute path');
    expect(messageOf({ S_FILE: join(folder, 'none') })).toContain('S_FILE names no such file');
    expect(messageOf({ S_FILE: folder })).toContain('S_FILE names a folder or device');
    expect(messageOf({ S_FILE: writeTestFile('empty', '\n') })).toContain(
      'S_FILE names an empty file',
    );
    expect(messageOf({ S_FILE: writeTestFile('binary', Uint8Array.of(0xff, 0x41)) })).toContain(
      'not UTF-8',
    );
    expect(
      messageOf({ S_FILE: writeTestFile('large', 'x'.repeat(MAX_VALUE_BYTES + 1)) }),
    ).toContain('more than 16 KiB');
  });

  test('a missing file is among the files to watch', () => {
    const path = join(folder, 'later');
    const text = 'version: 1\nlisten: { docs: 127.0.0.1:0 }\nsecret: ${S}';
    const load = () =>
      parseSettings(text, { file: 'guard.yaml', baseDir: '/', env: { S_FILE: path } });
    expect(load()).toMatchObject({ kind: 'invalid', files: [path] });
    writeTestFile('later', '9f2c7b1e5a8d4036c1e7');
    expect(load()).toMatchObject({ kind: 'loaded', files: [path] });
  });
});

test('for root, Guard reads no secrets from a guard.env of another user', () => {
  const folder = testFolder();
  const [settings, file] = [join(folder, 'guard.yaml'), join(folder, 'guard.env')];
  // This file belongs to root, so that the test also works for another user.
  symlinkSync('/etc/passwd', settings);
  writeFileSync(file, 'GUARD_SECRET=known', { mode: 0o600 });
  if (process.getuid?.() === 0) {
    expect(withEnvironmentFile(settings, {}).kind).toBe('read');
    chownSync(file, 65_534, 65_534);
  }
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(0);
  onTestFinished(() => getuid.mockRestore());
  expect(withEnvironmentFile(settings, {})).toMatchObject({
    kind: 'refused',
    found: expect.stringMatching(/^a file of another user \(id \d+\)$/) as string,
  });
});
