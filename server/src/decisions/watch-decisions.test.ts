import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type TemporaryDecision,
  writeDecisions,
} from '@guard/config/settings/derived/temporary-decision';
import { TemporaryRules } from '@guard/validator';
import { afterEach, expect, test, vi } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { createReadDecisions, type DecisionsReading } from './read-decisions.ts';
import { watchDecisions } from './watch-decisions.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 21);
const BLOCK: TemporaryDecision = {
  ...{ id: 't000001', organisation: 'acme', verdict: 'block', because: 'a test', by: 'test@here' },
  ...{ target: { kind: 'network', network: '203.0.113.7' }, madeAt: NOW, until: NOW + HOUR },
};

afterEach(() => {
  vi.useRealTimers();
});

test('a clock that jumps ahead and back ends no decision', async () => {
  vi.useFakeTimers();
  const time = { now: NOW };
  let answer: DecisionsReading = { kind: 'read', decisions: [BLOCK] };
  const read = () => {
    const currentAnswer = answer;
    answer = { kind: 'same' };
    return Promise.resolve(currentAnswer);
  };
  const clock = () => time.now;
  const log = () => undefined;
  const watch = await watchDecisions({ read, rules: new TemporaryRules(clock), clock, log });
  time.now = NOW + 2 * HOUR;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(watch.count()).toBe(0);
  time.now = NOW + 2_000;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(watch.count()).toBe(1);
  await watch.close();
});

test('reading of an unreadable file is tried again and again, although the state of the file does not change', async () => {
  const file = join(testFolder(), 'decisions.json');
  const read = createReadDecisions({ kind: 'file', file }, undefined);
  expect(await read()).toEqual({ kind: 'read', decisions: [] });
  // Root can read every file, so the test uses a folder in place of an unreadable file.
  mkdirSync(file);
  const unread = { kind: 'failed', reason: 'EISDIR' };
  expect([await read(), await read()]).toEqual([unread, unread]);
  rmdirSync(file);
  writeFileSync(file, writeDecisions([BLOCK]));
  expect([await read(), await read()]).toEqual([
    { kind: 'read', decisions: [BLOCK] },
    { kind: 'same' },
  ]);
});
