import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { decodeBlock } from '../../testing/decode-block.ts';
import { createRecorders } from '../../testing/recorders.ts';
import { sampleEvent } from '../../testing/sample-event.ts';
import { until } from '../../testing/until.ts';
import { BUFFER_LIMITS, EventBuffer } from '../buffer.ts';
import { Outbox } from '../outbox.ts';
import type { InsertOutcome } from '../outbox.ts';
import { BlockMemory } from './block-memory.ts';

const MiB = 1024 * 1024;
const ROWS = 600;

/** Events on their way to a database that answers with `database.answer`. */
function setUp() {
  const { metrics, log } = createRecorders();
  const memory = new BlockMemory();
  const clock = { now: 0 };
  const database: { answer: InsertOutcome['kind'] } = { answer: 'written' };
  const attempts: { rules: string; memory: ArrayBufferLike }[] = [];
  const outbox = new Outbox({
    insert: async ({ parts: [body = Buffer.alloc(0)] }) => {
      await setImmediate();
      const rules = new Set(decodeBlock(body).map((row) => row.get('rule')));
      attempts.push({ rules: [...rules].join(), memory: body.buffer });
      const kind = database.answer;
      return kind === 'written' ? { kind } : { kind, reason: 'of the test' };
    },
    pause: () => setImmediate(),
    spill: undefined,
    maxMemoryBytes: 32 * MiB,
    onAcknowledged: ({ parts }) => {
      for (const part of parts) memory.giveBack(part);
    },
    log,
    metrics,
  });
  const buffer = new EventBuffer({ outbox, memory, clock: () => clock.now, log, metrics });
  return {
    attempts,
    database,
    /** Passes on one batch that is so large that its memory is kept. */
    batch: async (rule: string): Promise<void> => {
      const body = 'x'.repeat(1000);
      for (let row = 0; row < ROWS; row += 1) buffer.record(sampleEvent({ rule, body }));
      const turns = Math.ceil(ROWS / BUFFER_LIMITS.encodedPerTurn);
      for (let turn = 0; turn <= turns; turn += 1) await setImmediate();
      clock.now += BUFFER_LIMITS.batchAgeMs;
      buffer.tick();
    },
    done: () => until('no batch waits', () => buffer.queuedRows() === 0),
  };
}

describe('the memory of blocks', () => {
  test('is reused after the database has acknowledged the rows', async () => {
    const { batch, done, attempts } = setUp();
    for (const rule of ['first', 'second', 'third']) {
      await batch(rule);
      await done();
    }
    expect(attempts.map(({ rules }) => rules)).toEqual(['first', 'second', 'third']);
    expect(new Set(attempts.map(({ memory }) => memory)).size).toBe(1);
  });

  test('is not reused while another attempt can need it', async () => {
    const { batch, done, attempts, database } = setUp();
    database.answer = 'retry';
    await batch('first');
    await batch('second');
    const before = attempts.length;
    await until('another attempt was made', () => attempts.length > before);
    database.answer = 'written';
    await done();
    const rules = attempts.map((attempt) => attempt.rules);
    expect(rules).toEqual([...Array.from(rules.slice(1), () => 'first'), 'second']);
    expect(attempts.at(-1)?.memory).not.toBe(attempts[0]?.memory);
  });

  test('is not reused after the database refused the rows, because it can refuse before it has read all bytes', async () => {
    const { batch, done, attempts, database } = setUp();
    database.answer = 'rejected';
    await batch('first');
    await done();
    await batch('second');
    await done();
    expect(attempts.map(({ rules }) => rules)).toEqual(['first', 'second']);
    expect(attempts[1]?.memory).not.toBe(attempts[0]?.memory);
  });

  test('at most four blocks are taken back, each once, and only lent blocks', () => {
    const memory = new BlockMemory();
    const lentParts = Array.from({ length: 5 }, () => memory.lend(MiB));
    const foreignBuffer = Buffer.allocUnsafeSlow(MiB);
    for (const block of [foreignBuffer, ...lentParts]) {
      memory.giveBack(block);
      memory.giveBack(block);
    }
    const reusedBuffers = Array.from({ length: 5 }, () => memory.lend(MiB).buffer);
    expect(new Set(reusedBuffers).size).toBe(5);
    expect(reusedBuffers).not.toContain(foreignBuffer.buffer);
    const lentBuffers = new Set<ArrayBufferLike>(lentParts.map(({ buffer }) => buffer));
    expect(reusedBuffers.filter((buffer) => lentBuffers.has(buffer))).toHaveLength(4);
  });

  test('has the requested size, also when a larger block is reused', () => {
    const memory = new BlockMemory();
    memory.giveBack(memory.lend(5 * MiB));
    for (const bytes of [1, 300_000, 4 * MiB + 1, 5 * MiB, 9 * MiB]) {
      const block = memory.lend(bytes);
      expect(block.length).toBe(bytes);
      memory.giveBack(block);
    }
  });
});
