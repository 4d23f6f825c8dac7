import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { roomsOf } from './test-rooms.ts';

// These words are put together from parts, so that they are not found in this test file itself.
const [PROGRAMS, VITEST, PROCESS] = ['node:' + 'child_process', 'v' + 'i', 'pro' + 'cess'];
const root = mkdtempSync(join(tmpdir(), 'guard-rooms-'));
afterAll(() => rmSync(root, { recursive: true }));
symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'));
writeFileSync(join(root, 'deep.ts'), `import { spawn } from '${PROGRAMS}';`);
writeFileSync(join(root, 'hook.ts'), 'afterAll(() => undefined);');
writeFileSync(join(root, 'near.ts'), "export * from './deep.ts';");

test.each([
  ['a file that starts a program', `import {\n  spawn,\n} from '${PROGRAMS}';`, 'wait'],
  ['a file that waits for a program', `import { spawnSync } from '${PROGRAMS}';`, 'share'],
  ['a file that also starts a program', `import { spawn, spawnSync } from '${PROGRAMS}';`, 'wait'],
  ['a file whose helper starts a program', "import { near } from './near.ts';", 'wait'],
  ['a file whose helper ends something after the first file', "import './hook.ts';", 'alone'],
  ['a file that loads its helper later', "await import('./near.ts');", 'wait'],
  [
    'a file that imports only types of its helper',
    "import type { Near } from './near.ts';",
    'share',
  ],
  ['a file that starts the command line', "import { main } from '@guard/cli';", 'wait'],
  ['a file with another clock', `${VITEST}.useFakeTimers();`, 'alone'],
  ['a file with another environment', `${PROCESS}.env['A'] = 'b';`, 'alone'],
  ['a file that removes a variable', `delete ${PROCESS}.env['A'];`, 'alone'],
  ['a file that only reads a variable', `const env = { PATH: ${PROCESS}.env['PATH'] };`, 'share'],
  [
    'a file that only computes',
    "import { isIP } from 'node:net';\nimport '@guard/config/net/cidr';",
    'share',
  ],
])('%s', (_name, text, room) => {
  writeFileSync(join(root, 'a.test.ts'), text);
  const noRooms = { alone: [], share: [], wait: [] };
  expect(roomsOf(['a.test.ts'], root)).toEqual({ ...noRooms, [room]: ['a.test.ts'] });
});
