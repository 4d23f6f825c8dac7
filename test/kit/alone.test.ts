import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { filesThatRunAlone } from './alone.ts';

// In pieces, so that this file does not look as if it did any of it.
const [PROGRAMS, VITEST, PROCESS] = ['node:' + 'child_process', 'v' + 'i', 'pro' + 'cess'];
const root = mkdtempSync(join(tmpdir(), 'guard-alone-'));
afterAll(() => rmSync(root, { recursive: true }));
symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'));
writeFileSync(join(root, 'deep.ts'), `import { spawn } from '${PROGRAMS}';`);
writeFileSync(join(root, 'hook.ts'), 'afterAll(() => undefined);');
writeFileSync(join(root, 'near.ts'), "export * from './deep.ts';");

test.each([
  ['a file that starts a program', `import {\n  spawn,\n} from '${PROGRAMS}';`, true],
  ['a file that waits for a program', `import { spawnSync } from '${PROGRAMS}';`, false],
  ['a file that starts another, too', `import { spawn, spawnSync } from '${PROGRAMS}';`, true],
  ['a file whose helper starts one', "import { near } from './near.ts';", true],
  ['a file whose helper ends something behind the first file', "import './hook.ts';", true],
  ['a file that loads such a helper later', "await import('./near.ts');", true],
  ['a file that takes only its types', "import type { Near } from './near.ts';", false],
  ['a file that starts the command line', "import { main } from '@guard/cli';", true],
  ['a file with another clock', `${VITEST}.useFakeTimers();`, true],
  ['a file with another environment', `${PROCESS}.env['A'] = 'b';`, true],
  ['a file of sums', "import { isIP } from 'node:net';\nimport '@guard/config/net/cidr';", false],
])('%s', (_name, text, alone) => {
  writeFileSync(join(root, 'a.test.ts'), text);
  expect(filesThatRunAlone(['a.test.ts'], root)).toEqual(alone ? ['a.test.ts'] : []);
});
