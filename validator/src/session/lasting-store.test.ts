import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { poll } from '../../../test/kit/http.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { LastingStore } from './lasting-store.ts';
import { writeSnapshotFile } from './snapshot-file.ts';
import { session, sessionStoreContract } from './testing/store-contract.ts';

const LIMITS = { maxSessions: 1_000, maxSpent: 1_000, maxBudgets: 1_000 };
const HOUR_MS = 3_600_000;
const BUDGET = { requests: 2, perMs: HOUR_MS };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guard-snapshot-'));
});
afterEach(() => {
  vi.useRealTimers();
  return rm(folder, { recursive: true, force: true });
});

async function openStore({ at = folder, limits = LIMITS, now = 1_800_000_000_000 } = {}) {
  const time = { now };
  const log: string[] = [];
  const store = await LastingStore.open({
    folder: at,
    clock: () => time.now,
    log: (_level, event, fields = {}) => log.push(`${event} ${JSON.stringify(fields)}`),
    limits,
  });
  return { store, time, log };
}

/**
 * Starts a process that stores this number of sessions and ends. Returns its log. The process can write files of at
 * most `blocks` blocks of 512 bytes. A larger write fails, as on a full disk but with another error code.
 */
async function keepInChild(sessions: number, blocks: string): Promise<string[]> {
  const script = join(import.meta.dirname, 'testing', 'keep-and-end.ts');
  const command = 'ulimit -f "$0" && exec "$@"';
  const program = [process.execPath, script, folder, String(sessions)];
  const { stdout } = await promisify(execFile)('sh', ['-c', command, blocks, ...program]);
  return stdout.trim() === '' ? [] : stdout.trim().split('\n');
}

const snapshot = () => join(folder, 'store.snapshot');

sessionStoreContract('LastingStore', async () => {
  const { store, time } = await openStore();
  return { store, passTime: (ms) => (time.now += ms) };
});

describe('a store that is opened again', () => {
  test('restores sessions, spent tickets and budgets', async () => {
    const first = await openStore();
    const rejected = { ...session, state: 'rejected', reasons: ['webdriver'] } as const;
    first.store.keepSession('a', session, 4 * HOUR_MS);
    first.store.keepSession('b', rejected, HOUR_MS);
    first.store.spend('ticket', 4 * HOUR_MS);
    for (let i = 0; i < 2; i++) first.store.take('login', '192.0.2.1', BUDGET);
    await first.store.close();

    const { store, time, log } = await openStore();
    expect(log).toEqual(['store_snapshot_restored {"sessions":2}']);
    expect(store.session('a')).toMatchObject(session);
    expect(store.session('b')).toMatchObject(rejected);
    expect(store.spend('ticket', HOUR_MS)).toBe(false);
    expect(store.spend('another', HOUR_MS)).toBe(true);
    expect(store.take('login', '192.0.2.1', BUDGET)).toBeGreaterThan(0);
    expect(store.take('login', '192.0.2.2', BUDGET)).toBe(0);
    time.now += HOUR_MS + 1;
    expect(store.session('a')).toMatchObject(session);
    expect(store.session('b')).toBeUndefined();
    await store.close();
  });

  test('does not restore expired sessions', async () => {
    const first = await openStore();
    first.store.keepSession('a', session, HOUR_MS);
    await first.store.close();
    const { store, log } = await openStore({ now: first.time.now + HOUR_MS });
    expect(store.sessionCount).toBe(0);
    expect(log).toEqual(['store_snapshot_restored {"sessions":0}']);
    await store.close();
  });

  test('does not extend sessions after the clock was set back', async () => {
    const first = await openStore();
    first.time.now += 400 * 24 * HOUR_MS;
    first.store.keepSession('a', session, HOUR_MS);
    await first.store.close();
    const { store, time } = await openStore();
    time.now += 24 * HOUR_MS;
    expect(store.session('a')).toMatchObject(session);
    time.now += 1;
    expect(store.session('a')).toBeUndefined();
    await store.close();
  });

  test('keeps all of 1,000 sessions', async () => {
    const first = await openStore({ limits: { ...LIMITS, maxSessions: 4_000 } });
    for (let i = 0; i < 1_000; i++) first.store.keepSession(`s${i}`, session, HOUR_MS);
    await first.store.close();
    const { store } = await openStore({ limits: { ...LIMITS, maxSessions: 4_000 } });
    for (let i = 0; i < 1_000; i++) expect(store.session(`s${i}`)).toBeDefined();
    await store.close();
  });

  test('restores a snapshot of an earlier version, which has whole User-Agents', async () => {
    const { userAgentHash, ...sessionWithoutHash } = session;
    const earlierSession = {
      ...sessionWithoutHash,
      userAgent: 'Mozilla/5.0',
      expiresAt: 1_800_000_000_000 + HOUR_MS,
    };
    const tables = Buffer.from('0 0\n');
    const lines = ['a', 'b'].map((id) => Buffer.from(`${id} ${JSON.stringify(earlierSession)}\n`));
    await writeSnapshotFile(snapshot(), Readable.from([tables, ...lines]));
    const { store, log } = await openStore();
    expect(log).toEqual(['store_snapshot_restored {"sessions":2}']);
    expect(store.session('a')).toMatchObject({ ...sessionWithoutHash, userAgentHash });
    expect(JSON.stringify(store.session('b'))).not.toContain('Mozilla');
    await store.close();
  });

  test('restores only the sessions when the tables have another size', async () => {
    const first = await openStore();
    first.store.keepSession('a', session, HOUR_MS);
    first.store.spend('ticket', HOUR_MS);
    await first.store.close();
    const { store } = await openStore({ limits: { ...LIMITS, maxSpent: 10_000 } });
    expect(store.session('a')).toMatchObject(session);
    expect(store.spend('ticket', HOUR_MS)).toBe(true);
    await store.close();
  });
});

describe('the snapshot file', () => {
  test('is readable only by its owner, and replaces the previous snapshot', async () => {
    for (let i = 0; i < 3; i++) await (await openStore()).store.close();
    expect(await readdir(folder)).toEqual(['store.snapshot']);
    expect((await stat(snapshot())).mode & 0o777).toBe(0o600);
  });

  test('is renamed when it is incomplete, changed, foreign or of another version, and the store starts', async () => {
    const first = await openStore();
    for (let i = 0; i < 50; i++) first.store.keepSession(`s${i}`, session, HOUR_MS);
    await first.store.close();
    const whole = await readFile(snapshot());
    const random = seededRandom();
    const damagedFiles: Buffer[] = [
      Buffer.alloc(0),
      Buffer.from('{"sessions":[]}'),
      Buffer.from('guard-store 1\n'),
      Buffer.concat([Buffer.from('guard-store 2\n'), whole.subarray(14)]),
      Buffer.concat([whole, Buffer.from('x')]),
    ];
    for (let i = 0; i < 20; i++) damagedFiles.push(whole.subarray(0, random.below(whole.length)));
    for (let i = 0; i < 40; i++) {
      const changedBytes = Buffer.from(whole);
      const at = random.below(whole.length);
      changedBytes[at] = (changedBytes[at] ?? 0) ^ (1 << random.below(8));
      damagedFiles.push(changedBytes);
    }
    for (const [index, bytes] of damagedFiles.entries()) {
      const message = `seed ${random.seed}, file ${index}`;
      const at = join(folder, `${index}`);
      await mkdir(at);
      await writeFile(join(at, 'store.snapshot'), bytes);
      const { store, log } = await openStore({ at });
      expect(log, message).toHaveLength(1);
      expect(log[0], message).toMatch(
        /^store_snapshot_set_aside \{"reason":"(?:checksum|other_form)"\}/,
      );
      expect(store.sessionCount, message).toBe(0);
      expect(await readdir(at), message).toEqual(['store.snapshot.bad']);
      expect(await readFile(join(at, 'store.snapshot.bad')), message).toEqual(bytes);
    }
  });

  test('is ignored when it is half-written after a crash', async () => {
    const first = await openStore();
    first.store.keepSession('a', session, HOUR_MS);
    await first.store.close();
    await writeFile(`${snapshot()}.tmp`, 'half');
    const { store } = await openStore();
    expect(store.session('a')).toMatchObject(session);
    await store.close();
    expect(await readdir(folder)).toEqual(['store.snapshot']);
  });

  test('is written every minute, so that a killed process loses the changes of at most a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const killed = await openStore();
    killed.store.keepSession('a', session, HOUR_MS);
    vi.advanceTimersByTime(59_999);
    expect(await readdir(folder)).toEqual([]);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    await poll(
      () => readdir(folder),
      (files) => files.includes('store.snapshot'),
    );
    const at = join(folder, 'copy');
    await mkdir(at);
    await copyFile(snapshot(), join(at, 'store.snapshot'));
    const { store } = await openStore({ at });
    expect(store.session('a')).toMatchObject(session);
    await Promise.all([killed.store.close(), store.close()]);
  });

  test('is kept when the disk is full, and no half-written file stays in its folder', async () => {
    expect(await keepInChild(1, 'unlimited')).toEqual([]);
    expect(await keepInChild(2_000, '8')).toEqual([
      'store_snapshot_restored {"sessions":1}',
      'store_snapshot_failed {"reason":"EFBIG"}',
    ]);
    expect(await readdir(folder)).toEqual(['store.snapshot']);
    const { store, log } = await openStore({ now: Date.now() });
    expect(log).toEqual(['store_snapshot_restored {"sessions":1}']);
    expect(store.sessionCount).toBe(1);
    await store.close();
  });

  test('causes one log line when its writes fail, and the store continues', async () => {
    const storeFolder = join(folder, 'a-file');
    await writeFile(storeFolder, '');
    const { store, log } = await openStore({ at: storeFolder });
    store.keepSession('a', session, HOUR_MS);
    expect(store.session('a')).toMatchObject(session);
    await store.close();
    expect(log).toEqual([
      'store_snapshot_unreadable {"reason":"EEXIST"}',
      'store_snapshot_failed {"reason":"ENOTDIR"}',
    ]);
  });
});
