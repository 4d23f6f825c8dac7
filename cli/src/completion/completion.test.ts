import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { hasFish, hasZsh } from '../../../test/kit/tools.ts';
import { commands } from '../commands/all-commands.ts';
import { offeredOptions } from './offered.ts';
import { completionFor, type Shell, SHELLS } from './shells.ts';

const folder = testFolder();
writeFileSync(join(folder, 'guard.yaml'), '');
writeFileSync(join(folder, 'with space.yaml'), '');
mkdirSync(join(folder, 'lists'));

/** Writes the script of a shell to a file. */
function scriptOf(shell: Shell): string {
  const file = join(folder, `script.${shell}`);
  writeFileSync(file, completionFor(shell, commands));
  return file;
}

/** The completions of bash for the last of these words. */
function complete(...words: readonly string[]): string[] {
  const script = `source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
_guard
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-u', '-c', script, 'bash', scriptOf('bash'), 'guard', ...words];
  const { status, stdout, stderr } = spawnSync('bash', args, { cwd: folder, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

describe('completion in bash', () => {
  test('offers every command', () => {
    expect(complete('')).toEqual(['--help', ...commands.map(({ name }) => name)].sort());
    expect(complete('ex')).toEqual(['explain', 'export']);
  });

  test.each(commands.map((command) => [command.name, command] as const))(
    'offers every option of %s that is in --help',
    (name, command) => {
      const long = offeredOptions(command).map((option) => `--${option.name}`);
      expect(complete(name, '--')).toEqual(long.sort());
    },
  );

  test('offers the possible words of an option or operand', () => {
    expect(complete('keys', '')).toEqual(['create', 'list', 'revoke']);
    expect(complete('keys', 'list', '')).toEqual([]);
    expect(complete('keys', 'create', '--kind', '')).toEqual(['analytics', 'secret']);
    expect(complete('explain', '--session', 'v')).toEqual(['verified']);
    expect(complete('completion', 'z')).toEqual(['zsh']);
  });

  test('offers files and folders for options with a path, also with spaces in names', () => {
    expect(complete('check', 'g')).toEqual(['guard.yaml']);
    expect(complete('start', '--config', 'w')).toEqual(['with space.yaml']);
    expect(complete('start', '-c', 'g')).toEqual(['guard.yaml']);
    expect(complete('crawlers', 'list', '--ranges', '')).toEqual(['lists']);
  });

  test('offers nothing for an unknown value or after an unknown command', () => {
    expect(complete('keys', 'create', '--id', '')).toEqual([]);
    expect(complete('chek', '--')).toEqual([]);
  });
});

describe('zsh and fish', () => {
  test.each(SHELLS.filter((shell) => shell !== 'bash'))(
    'the script for %s has every command and option',
    (shell) => {
      const script = completionFor(shell, commands);
      for (const command of commands) {
        expect(script).toContain(command.name);
        for (const { name } of offeredOptions(command)) {
          expect(script).toContain(shell === 'fish' ? ` -l ${name} ` : `--${name}[`);
        }
      }
    },
  );

  test('every quote of the zsh script is closed, which bash checks', () => {
    const { status, stderr } = spawnSync('bash', ['-n', scriptOf('zsh')], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  test.skipIf(!hasZsh)('zsh can read its script', () => {
    expect(spawnSync('zsh', ['-n', scriptOf('zsh')]).status).toBe(0);
  });

  test.skipIf(!hasFish)('fish can read its script', () => {
    expect(spawnSync('fish', ['--no-execute', scriptOf('fish')]).status).toBe(0);
  });
});
