import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test, expect } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { createRecorders } from '../../test-kit/recorders.ts';
import { until } from '../../test-kit/until.ts';
import { openAnalytics } from '../index.ts';

const SCRIPT = new URL('../../test-kit/record-until-killed.ts', import.meta.url).pathname;
const LIVES = 3;

/** One life of the whole process; how many rows it had said were written when it was killed. */
async function liveAndDie(folder: string, atLeast: number): Promise<number> {
  const child = spawn(process.execPath, [SCRIPT, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const acknowledged = () => Number(/(\d+)\n(?!.*\n)/.exec(said)?.[1] ?? 0);
  await until('rows are written', () => acknowledged() >= atLeast);
  const ended = once(child.stdout, 'end');
  child.kill('SIGKILL');
  await ended;
  return acknowledged();
}

test('the whole process is killed (SIGKILL) while it writes, again and again: no acknowledged row is lost', async () => {
  const random = seededRandom();
  const folder = mkdtempSync(join(tmpdir(), 'guard-killed-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  let acknowledged = 0;
  for (let life = 0; life < LIVES; life += 1) {
    acknowledged += await liveAndDie(folder, 1 + random.below(20_000));
  }
  expect(acknowledged).toBeGreaterThan(0);

  const analytics = await openAnalytics({
    settings: { engine: 'embedded', path: folder },
    organisations: [{ id: 'acme' }],
    authenticate: () => undefined,
    clock: Date.now,
    ...createRecorders(),
  });
  await until('the engine is ready', () => analytics.ready());
  const outcome = await analytics.runQuery({
    organisation: 'acme',
    sql: 'SELECT count(), count() - uniqExact(request_id) FROM events_distributed',
  });
  await analytics.close();
  const rows = outcome.kind === 'rows' ? Buffer.from(outcome.body).toString() : outcome.kind;
  const [kept, twice] = rows.trim().split('\t').map(Number);
  expect(kept, `seed ${random.seed}`).toBeGreaterThanOrEqual(acknowledged);
  expect(twice, `seed ${random.seed}`).toBe(0);
});
