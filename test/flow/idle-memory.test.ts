import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { startProgram } from '../kit/example-program.ts';
import { testFolder } from '../kit/test-folder.ts';

/** Megabytes as the sizing of docs/guide/operations.md counts them, for one site that nobody visits. */
const WITHOUT_DATABASE = 180;

const SETTINGS = `version: 1
listen: { gateway: 127.0.0.1:0, admin: 127.0.0.1:0 }
secret: a secret of the test, long enough
organisations: [{ id: me, rules: [{ name: everybody, match: {}, detect: true, challenge: auto }] }]
sites: [{ hosts: ['*'], organisation: me, origin: 'http://127.0.0.1:9' }]
`;

test('a Guard with one idle site and no database takes no more memory than its sizing says', async () => {
  const file = join(testFolder(), 'guard.yaml');
  writeFileSync(file, SETTINGS);
  const guard = startProgram(process.execPath, ['bin/guard.mjs', 'start', '--config', file]);
  onTestFinished(() => guard.stop().then(() => undefined));
  const [, admin] = await guard.says(/admin +(http:\S+)/);
  const page = await fetch(`${admin}/metrics`).then((answer) => answer.text());
  const [, bytes] = /^process_resident_memory_bytes (\S+)$/m.exec(page) ?? [];
  expect(Number(bytes) / 1024 ** 2).toBeLessThan(WITHOUT_DATABASE);
});
