import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createRecorders } from '../testing/recorders.ts';
import { until } from '../testing/until.ts';
import type { Batch } from './batch.ts';
import { Outbox } from './outbox.ts';
import type { InsertOutcome } from './outbox.ts';
import { openSpill } from './spill.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guard-spill-'));
  folders.push(folder);
  return folder;
}

function batch(token: number, bytes = 100): Batch {
  const name = `00000000-0000-4000-8000-${String(token).padStart(12, '0')}`;
  return { token: name, rows: 10, bytes, parts: [Buffer.alloc(bytes, 'x')] };
}

/** An outbox for a database that answers with `answer`. Pauses are recorded and take no time. */
async function setUp(
  options: { folder?: string; maxMemoryBytes?: number; maxSpillBytes?: number } = {},
) {
  const recorders = createRecorders();
  const state: { answer: InsertOutcome; sentBatches: Batch[]; pauses: number[] } = {
    answer: { kind: 'written' },
    sentBatches: [],
    pauses: [],
  };
  const lostRows: number[] = [];
  const returnedBatches: Batch[] = [];
  const folder = options.folder ?? newFolder();
  const spill = await openSpill({
    directory: folder,
    maxBytes: options.maxSpillBytes ?? 10_000,
    clock: () => 1_700_000_000_000,
    onLost: (rows) => lostRows.push(rows),
  });
  const outbox = new Outbox({
    insert: (one) => {
      state.sentBatches.push(one);
      return Promise.resolve(state.answer);
    },
    pause: (ms) => {
      state.pauses.push(ms);
      return new Promise((resolve) => setImmediate(resolve));
    },
    spill,
    maxMemoryBytes: options.maxMemoryBytes ?? 1000,
    onAcknowledged: (one) => returnedBatches.push(one),
    ...recorders,
  });
  const countedEvents = (name: string): number =>
    recorders.counterValue('guard_events_total', name);
  return { outbox, spill, state, countedEvents, lostRows, returnedBatches, folder, recorders };
}

const AWAY_OUTCOME: InsertOutcome = { kind: 'retry', reason: 'away' };
const noDeadline = (): AbortSignal => new AbortController().signal;

describe('batches on their way to the database', () => {
  test('a batch is sent again until it is acknowledged; each pause is twice as long as the one before, up to 10 s', async () => {
    const { outbox, state, countedEvents } = await setUp();
    state.answer = AWAY_OUTCOME;
    outbox.put(batch(1));
    await until('eight attempts were made', () => state.sentBatches.length >= 8);
    expect(countedEvents('written')).toBe(0);
    state.answer = { kind: 'written' };
    await until('the batch is written', () => countedEvents('written') === 10);
    expect(new Set(state.sentBatches.map(({ token }) => token)).size).toBe(1);
    expect(state.pauses.slice(0, 7)).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000]);
    expect(outbox.rows()).toBe(0);
  });

  test('a batch that the database refuses is dropped and counted, and the next one is sent', async () => {
    const { outbox, state, countedEvents } = await setUp();
    state.answer = { kind: 'rejected', reason: 'Cannot parse' };
    outbox.put(batch(1));
    await until('the batch is dropped', () => countedEvents('dropped') === 10);
    state.answer = { kind: 'written' };
    outbox.put(batch(2));
    await until('the next batch is written', () => countedEvents('written') === 10);
  });

  test('above the memory limit batches go to disk, and from there to the database', async () => {
    const { outbox, spill, state, countedEvents } = await setUp({ maxMemoryBytes: 250 });
    state.answer = AWAY_OUTCOME;
    for (let token = 1; token <= 5; token += 1) {
      outbox.put(batch(token));
      await until('the batch is on disk', () => outbox.rows() === token * 10);
    }
    expect(outbox.waitingBatches()).toBe(2);
    expect(countedEvents('spilled')).toBe(30);
    state.answer = { kind: 'written' };
    await until('all batches are written', () => countedEvents('written') === 50);
    await until('the disk is empty', () => spill.rows() === 0);
    expect(new Set(state.sentBatches.map(({ token }) => token)).size).toBe(5);
    expect(countedEvents('dropped')).toBe(0);
  });

  test('above the disk limit a batch is dropped and counted', async () => {
    const { outbox, state, countedEvents } = await setUp({
      maxMemoryBytes: 100,
      maxSpillBytes: 250,
    });
    state.answer = AWAY_OUTCOME;
    outbox.put(batch(1));
    outbox.put(batch(2));
    outbox.put(batch(3));
    await until('one batch is dropped', () => countedEvents('dropped') === 10);
    expect(countedEvents('spilled')).toBe(10);
    expect(outbox.rows()).toBe(20);
    await outbox.close(AbortSignal.abort());
  });

  test('closing delivers the batches that the database accepts in time', async () => {
    const { outbox, countedEvents } = await setUp();
    outbox.put(batch(1));
    outbox.put(batch(2));
    await outbox.close(noDeadline());
    expect(countedEvents('written')).toBe(20);
  });

  test('undelivered batches are saved in private files, and the next process sends them', async () => {
    const first = await setUp();
    first.state.answer = AWAY_OUTCOME;
    first.outbox.put(batch(1));
    first.outbox.put(batch(2));
    await until('an attempt was made', () => first.state.sentBatches.length > 0);
    await first.outbox.close(AbortSignal.abort());
    expect(first.countedEvents('spilled')).toBe(20);
    const files = readdirSync(first.folder);
    expect(files).toHaveLength(2);
    for (const file of files) expect(statSync(join(first.folder, file)).mode & 0o077).toBe(0);

    const second = await setUp({ folder: first.folder });
    await until('both batches are written', () => second.countedEvents('written') === 20);
    expect(second.state.sentBatches.map(({ token }) => token)).toEqual([
      batch(1).token,
      batch(2).token,
    ]);
    await until('the files are gone', () => readdirSync(first.folder).length === 0);
  });

  test('the next process sends a batch once, in its last saved state', async () => {
    const { folder, spill, outbox, state, countedEvents } = await setUp();
    const first = batch(1);
    const parts = [...first.parts, Buffer.alloc(50, 'y')];
    const grownBatch = { ...first, bytes: 150, rows: 20, parts };
    outbox.save(first);
    outbox.save(grownBatch);
    await until('the batch is on disk', () => readdirSync(folder)[0]?.includes('-20-'));
    expect([readdirSync(folder).length, spill.rows()]).toEqual([1, 0]);
    // When the process is killed during the next save, the file has more bytes than its name says.
    const [name = ''] = readdirSync(folder);
    appendFileSync(join(folder, name), 'half of a part');
    const second = await setUp({ folder });
    await until('the batch is written', () => second.countedEvents('written') === 20);
    expect(second.state.sentBatches).toEqual([{ ...grownBatch, parts: [Buffer.concat(parts)] }]);
    // When the process is not killed, the file of an acknowledged batch is removed.
    outbox.save(batch(2));
    outbox.put(batch(2));
    await until('no file is left', () => readdirSync(folder).length === 0);
    expect([countedEvents('written'), state.sentBatches.length]).toEqual([10, 1]);
  });

  test('while the disk hangs, delivered batches release their memory, unless the disk can still read it', async () => {
    const { outbox, folder, countedEvents, returnedBatches } = await setUp();
    // The file is a pipe. Opening a pipe for writing waits until another process reads it.
    const unfinishedFile = join(
      folder,
      `1700000000000-000001-10-100-${batch(1).token}.native.part`,
    );
    execFileSync('mkfifo', [unfinishedFile]);
    try {
      for (let token = 1; token <= 20; token += 1) {
        outbox.put(batch(token));
        await until('the batch is written', () => countedEvents('written') === token * 10);
      }
      await until('memory is given back', () => returnedBatches.length >= 16);
    } finally {
      closeSync(openSync(unfinishedFile, 'r+'));
    }
    await until('the disk works again', () => returnedBatches.length === 20);
    await until('no file is left', () => readdirSync(folder).length === 0);
    await outbox.close(noDeadline());
  });

  test('when the disk has room for a part of a batch, this part is kept, and the other rows are counted as dropped', async () => {
    const { outbox, spill, state, countedEvents, recorders } = await setUp({
      maxMemoryBytes: 10,
      maxSpillBytes: 120,
    });
    state.answer = AWAY_OUTCOME;
    outbox.put(batch(1, 10));
    outbox.save(batch(2));
    outbox.save({ ...batch(2, 150), rows: 30 });
    outbox.put({ ...batch(2, 150), rows: 30 });
    await until('the batch is on disk', () => spill.rows() === 10);
    expect([countedEvents('spilled'), countedEvents('dropped')]).toEqual([10, 20]);
    expect(recorders.lines.join()).toContain('analytics_rows_in_memory_only');
    await outbox.close(AbortSignal.abort());
  });

  test('unfinished and foreign files in the folder do no harm, and the rows of a cut file are counted as dropped', async () => {
    const first = await setUp();
    first.state.answer = AWAY_OUTCOME;
    first.outbox.put(batch(1));
    await first.outbox.close(AbortSignal.abort());
    const [name = ''] = readdirSync(first.folder);
    writeFileSync(join(first.folder, `${name}.part`), 'half');
    writeFileSync(join(first.folder, 'notes.txt'), 'keep me');

    const second = await openSpill({
      directory: first.folder,
      maxBytes: 1000,
      clock: Date.now,
      onLost: (rows) => first.lostRows.push(rows),
    });
    truncateSync(join(first.folder, name), 5);
    expect(await second.next()).toBeUndefined();
    expect(first.lostRows).toEqual([10]);
    expect(readdirSync(first.folder)).toContain('notes.txt');
    expect(readdirSync(first.folder)).not.toContain(`${name}.part`);
  });
});
