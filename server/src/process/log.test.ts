import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';

test('a reader that hangs costs a few megabytes and then lines, and gets new lines when it reads again', async () => {
  let goOn = (): void => undefined;
  const taken: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString());
      if (taken.length === 1) goOn = done;
      else done();
    },
  });
  let lost = 0;
  const log = createLog(
    stream,
    () => (lost += 1),
    () => 'json',
  );
  const LINES = 10_000;
  for (let number = 0; number < LINES; number++)
    log('info', 'event', { number, text: 'x'.repeat(1000) });
  expect(stream.writableLength).toBeLessThan(5 * 1024 * 1024);
  expect(lost).toBeGreaterThan(LINES / 2);

  const drained = new Promise((resolve) => stream.once('drain', resolve));
  goOn();
  await drained;
  log('warn', 'afterwards');
  expect(taken).toHaveLength(LINES - lost + 1);
  expect(JSON.parse(taken.at(-1) ?? '')).toMatchObject({ level: 'warn', event: 'afterwards' });
});
