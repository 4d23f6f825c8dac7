import { execFileSync } from 'node:child_process';
import type { Settings } from '@guard/config/settings/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../../test/kit/peers/redis-server.ts';
import { hasRedis } from '../../../test/kit/tools.ts';
import { changeDecisions } from './change-decisions.ts';

const KEY = 'guard:1:text:decisions';

describe.skipIf(!hasRedis)('temporary decisions in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  /** Edits the list. After the first attempt has read the list, another instance writes `textOfOther` to Redis. */
  async function change(textOfOther: string) {
    let attempts = 0;
    const result = await changeDecisions(
      { store: { engine: 'redis', url: redis.url } } as Settings,
      Date.now(),
      () => {
        attempts += 1;
        if (attempts === 1) {
          execFileSync('redis-cli', ['-p', String(redis.port), 'SET', KEY, textOfOther]);
        }
        return { decisions: [], result: 'written' };
      },
    );
    return { changed: result, attempts };
  }

  test('an edit starts again when another instance was faster', async () => {
    const other = `${'a'.repeat(32)}\n`;
    expect(await change(other)).toMatchObject({
      changed: { result: 'written' },
      attempts: 2,
    });
    expect(await redis.ask<string>('GET', KEY)).not.toBe(other);
  });

  test('an edit is refused when the list has become unreadable', async () => {
    const { changed } = await change('a text of theirs');
    expect(changed).toEqual(expect.stringContaining('is no list of temporary decisions'));
    expect(await redis.ask<string>('GET', KEY)).toBe('a text of theirs');
  });
});
