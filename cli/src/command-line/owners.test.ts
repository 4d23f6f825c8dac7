import { lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../test/kit/free-port.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { runCommand } from '../testing/run-command.ts';

const STRANGER = 65_534;
const realUid = process.getuid?.() ?? 0;
const home = process.cwd();
afterEach(() => process.chdir(home));

/**
 * Makes the file at `path` belong to another user than root, in a process of root. When the tests do not run as root,
 * the file keeps its owner, and the process only pretends to be root. Returns the user id of the owner.
 */
function asRootWithForeign(path: string): number {
  if (realUid === 0) {
    lchownSync(path, STRANGER, STRANGER);
    return STRANGER;
  }
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(0);
  onTestFinished(() => getuid.mockRestore());
  return realUid;
}

function inFolder(): string {
  const folder = testFolder();
  process.chdir(folder);
  return folder;
}

describe('a guard.yaml of another user in the current folder', () => {
  const SETTINGS = `version: 1
listen: { admin: 127.0.0.1:0 }
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
alerts: { command: [touch, ran] }
`;

  test.each([['check'], ['alerts', 'test'], ['start'], ['query', 'SELECT 1'], ['keys', 'list']])(
    'is not used by guard %s',
    async (...args) => {
      const folder = inFolder();
      writeFileSync(join(folder, 'guard.yaml'), SETTINGS);
      const uid = asRootWithForeign(join(folder, 'guard.yaml'));
      const { code, stdout, stderr } = await runCommand(...args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(
        `guard.yaml in this folder belongs to another user (id ${uid}); if you trust it, name it: --config guard.yaml`,
      );
    },
  );

  test('is used when the call names it, and when its owner called sudo', async () => {
    const folder = inFolder();
    writeFileSync(join(folder, 'guard.yaml'), SETTINGS);
    const uid = asRootWithForeign(join(folder, 'guard.yaml'));
    expect((await runCommand('check', 'guard.yaml')).code).toBe(0);
    vi.stubEnv('SUDO_UID', String(uid));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await runCommand('check')).code).toBe(0);
  });

  test('is not used through a link of another user either', async () => {
    const folder = inFolder();
    writeFileSync(join(folder, 'own.yaml'), SETTINGS);
    symlinkSync('own.yaml', join(folder, 'guard.yaml'));
    asRootWithForeign(join(folder, 'guard.yaml'));
    expect((await runCommand('check')).code).toBe(2);
  });
});

describe('root and the data folder of another user', () => {
  test.each(['', 'access', 'spill'])('guard start refuses to use data/%s', async (entry) => {
    const folder = inFolder();
    const data = join(folder, 'data');
    mkdirSync(data);
    const path = join(data, entry);
    if (entry !== '') symlinkSync('/nowhere', path);
    const uid = asRootWithForeign(path);
    const port = await freePort();
    writeFileSync(
      join(folder, 'guard.yaml'),
      `version: 1
listen: { admin: 127.0.0.1:${port} }
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
analytics: { engine: embedded, path: ./data }
`,
    );
    const { code, stderr } = await runCommand('start', '--config', 'guard.yaml');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^guard start: \\S*data\\S* belongs to another user \\(id ${uid}\\), who could`),
    );
  });
});
