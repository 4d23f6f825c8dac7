import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { decodeBlock } from '../testing/decode-block.ts';
import { createRecorders } from '../testing/recorders.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import type { Batch } from './batch.ts';
import { BUFFER_LIMITS, EventBuffer } from './buffer.ts';

/** A buffer whose outbox only records batches, with a clock that the test moves. */
function setUp() {
  const recorders = createRecorders();
  const batches: Batch[] = [];
  const savedBatches: Batch[] = [];
  const state = { now: 1_000_000, waiting: 0 };
  const buffer = new EventBuffer({
    outbox: {
      put: (batch) => void batches.push(batch),
      save: (batch) => void savedBatches.push(batch),
      waitingBatches: () => state.waiting,
      rows: () => 0,
    },
    clock: () => state.now,
    log: recorders.log,
    metrics: recorders.metrics,
  });
  return { buffer, batches, saved: savedBatches, state, recorders };
}

/** The rows of all parts of a batch. */
function decodeParts(batch: Batch | undefined) {
  return (batch?.parts ?? []).flatMap((part) => decodeBlock(part));
}

/** Waits for the turns of the event loop in which events are encoded. */
async function waitForTurns(turns = 1): Promise<void> {
  for (let turn = 0; turn <= turns; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('events become batches', () => {
  test('a batch is passed on when it is a second old', async () => {
    const { buffer, batches, state } = setUp();
    buffer.record(sampleEvent());
    buffer.record(sampleEvent());
    await waitForTurns();
    state.now += BUFFER_LIMITS.batchAgeMs - 1;
    buffer.tick();
    expect(batches).toHaveLength(0);
    expect(buffer.queuedRows()).toBe(2);
    state.now += 1;
    buffer.tick();
    expect(batches.map((batch) => batch.rows)).toEqual([2]);
    expect(decodeParts(batches[0])).toHaveLength(2);
  });

  test('before that, rows that are 200 ms old are saved together with all earlier rows, with the token of the batch', async () => {
    const { buffer, batches, saved, state } = setUp();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    let ms = 0;
    const passTime = (passedMs: number): void => {
      clock.mockReturnValue((ms += passedMs));
      buffer.tick();
    };
    buffer.tick();
    for (let round = 0; round < 3; round += 1) {
      buffer.record(sampleEvent());
      await waitForTurns();
      passTime(BUFFER_LIMITS.savedAtMs - 1);
      expect(saved).toHaveLength(round);
      passTime(1);
    }
    state.now += BUFFER_LIMITS.batchAgeMs;
    buffer.tick();
    expect(saved.map((batch) => [batch.rows, decodeParts(batch).length])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(new Set([...saved, ...batches].map(({ token }) => token)).size).toBe(1);
    // Each row was encoded once.
    expect(batches[0]?.parts).toEqual(saved[2]?.parts);
    expect(saved[2]?.parts[0]).toBe(saved[0]?.parts[0]);
    buffer.record(sampleEvent());
    await waitForTurns();
    passTime(BUFFER_LIMITS.savedAtMs);
    expect(saved[3]?.rows).toBe(1);
    expect(saved[3]?.token).not.toBe(saved[2]?.token);
  });

  test('after the clock was set back, a batch is passed on at once', async () => {
    const { buffer, batches, state } = setUp();
    buffer.record(sampleEvent());
    await waitForTurns();
    state.now -= 7_200_000;
    buffer.tick();
    expect(batches.map((batch) => batch.rows)).toEqual([1]);
  });

  test('no batch has more than 10,000 rows, and a full batch does not wait', async () => {
    const { buffer, batches } = setUp();
    for (let index = 0; index < 12_000; index += 1) buffer.record(sampleEvent());
    await waitForTurns(60);
    expect(batches.map((batch) => batch.rows)).toEqual([10_000]);
    buffer.close();
    expect(batches.map((batch) => batch.rows)).toEqual([10_000, 2000]);
  });

  test('a batch is hardly larger than 8 MiB', async () => {
    const { buffer, batches } = setUp();
    const body = 'x'.repeat(16_384);
    for (let index = 0; index < 1200; index += 1) buffer.record(sampleEvent({ body }));
    await waitForTurns(10);
    buffer.close();
    expect(batches.length).toBeGreaterThan(1);
    const mostBytes = BUFFER_LIMITS.batchBytes + BUFFER_LIMITS.encodedTogether * 20_000;
    for (const { bytes } of batches) expect(bytes).toBeLessThan(mostBytes);
    expect(batches.reduce((sum, batch) => sum + batch.rows, 0)).toBe(1200);
  });

  test('while the database is slow, the open batch grows, and no further batch is made', async () => {
    const { buffer, batches, state } = setUp();
    state.waiting = 2;
    buffer.record(sampleEvent());
    await waitForTurns();
    state.now += 10 * BUFFER_LIMITS.batchAgeMs;
    buffer.tick();
    expect(batches).toHaveLength(0);
    state.waiting = 0;
    buffer.tick();
    expect(batches).toHaveLength(1);
  });

  test('events that do not fit into the ring are dropped and counted', () => {
    const { buffer, recorders } = setUp();
    for (let index = 0; index < BUFFER_LIMITS.ringSize + 3; index += 1)
      buffer.record(sampleEvent());
    expect(recorders.counterValue('guard_events_total', 'recorded')).toBe(BUFFER_LIMITS.ringSize);
    expect(recorders.counterValue('guard_events_total', 'dropped')).toBe(3);
  });

  test('closing passes on the remaining events; later events are dropped and counted', () => {
    const { buffer, batches, recorders } = setUp();
    buffer.record(sampleEvent());
    buffer.close();
    buffer.record(sampleEvent());
    expect(batches.map((batch) => batch.rows)).toEqual([1]);
    expect(recorders.counterValue('guard_events_total', 'dropped')).toBe(1);
  });
});
