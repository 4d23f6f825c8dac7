import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createSealer } from '../session/sealer.ts';
import { createSessionIds } from '../session/session-id.ts';
import { SessionTable } from '../session/session-table.ts';
import { readAgent } from '../signals/testing/facts.ts';

const ids = createSessionIds(createSealer(['a secret of the installation'], 'session'));
const table = new SessionTable<number>(4_000);

test.each([
  [
    'a session',
    (text: string) => {
      table.set(text, 'verified', 1);
      return table.get(text) === 1;
    },
  ],
  ['an agent', (text: string) => !readAgent(text).recognised],
  ['an id of ours', (text: string) => ids.isOurs('acme', text)],
])('%s with a piece of a long text as key keeps only this piece in memory', (_what, use) => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let number = 0; number < 2_000; number++) {
    const head = Buffer.from(ids.mint('acme').padEnd(16_384)).toString('latin1');
    expect(use(head.slice(0, 36))).toBe(true);
  }
  collectGarbage();
  // All texts together have 32 MiB. The pieces together have less than a tenth of 1 MiB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 1024 ** 2);
});
