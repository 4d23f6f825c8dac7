import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';

test('while a reader hangs, a few megabytes are kept and further lines are dropped', async () => {
  let resumeReading = (): void => undefined;
  const takenLines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      takenLines.push(chunk.toString());
      if (takenLines.length === 1) resumeReading = done;
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

  const drain = new Promise((resolve) => stream.once('drain', resolve));
  resumeReading();
  await drain;
  log('warn', 'afterwards');
  expect(takenLines).toHaveLength(LINES - lost + 1);
  expect(JSON.parse(takenLines.at(-1) ?? '')).toMatchObject({ level: 'warn', event: 'afterwards' });
});

test.each(['json', 'ecs'] as const)(
  'the text of a visitor cannot break a line or control a terminal, in the format %s',
  (format) => {
    const takenLines: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        takenLines.push(chunk.toString());
        done();
      },
    });
    const log = createLog(
      stream,
      () => undefined,
      () => format,
    );
    const hostile =
      'a\n{"level":"error"}\r\u0085\u2028\u2029\u001b[2J\u009b2J\u007f\u202e\u061c\u00ad\ufff9\u3164\ufe0f\u{e0041}\ufffe\ufdd0\u{1fffe}';
    log('info', 'decision', { action: 'block', user_agent: hostile });
    const [line = ''] = takenLines;
    // journalctl shows a line with a noncharacter as `[512B blob data]`, and CrowdSec reads the output of journalctl.
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\p{NChar}]/u);
    expect(Object.values(JSON.parse(line) as object)).toContain(hostile);
  },
);
