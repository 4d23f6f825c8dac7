import { describe, expect, test } from 'vitest';
import { automated, doubtful, HUMAN, judgePerson } from '../../testing/judge-recordings.ts';
import { readFixture } from '../../testing/challenged-visitor.ts';

const DESKTOP = 'chromium-headful-incognito';
const { agent } = readFixture(`human/${DESKTOP}.json`).evidence;

const sharedWorkerOf = (userAgent: string, fullVersions: number | null = 2) => ({
  readings: {
    sharedWorker: { value: { userAgent, platform: agent.platform, fullVersions } },
  },
});

describe('a shared worker', () => {
  test('worker_mismatch: the page claims another version than the shared worker, because a driver changed it', () => {
    const olderAgent = agent.userAgent.replace('/156.', '/153.');
    expect(judgePerson(DESKTOP, sharedWorkerOf(olderAgent))).toEqual(doubtful('worker_mismatch'));
  });

  test('headless_browser: only the shared worker names a headless browser', () => {
    const headlessAgent = agent.userAgent.replace('Chrome/', 'HeadlessChrome/');
    expect(judgePerson(DESKTOP, sharedWorkerOf(headlessAgent))).toEqual(
      automated('headless_browser', 'worker_mismatch'),
    );
  });

  test('client_hints_mismatch: the shared worker has no full versions, although the page has some', () => {
    expect(judgePerson(DESKTOP, sharedWorkerOf(agent.userAgent, 0))).toEqual(
      doubtful('client_hints_mismatch'),
    );
  });

  test('no finding: a browser without shared workers, and a browser on plain http without hints', () => {
    const readings = { sharedWorker: { unread: 'absent' } } as const;
    expect(judgePerson(DESKTOP, { readings })).toEqual(HUMAN);
    expect(judgePerson(DESKTOP, sharedWorkerOf(agent.userAgent, null))).toEqual(HUMAN);
  });

  test.each(['chrome-android-desktop-mode', 'safari-ipad-desktop-mode'])(
    'no finding: %s, because desktop mode changes only the page',
    (name) => {
      const phoneAgent = readFixture('human/chrome-android.json').evidence.agent.userAgent;
      expect(judgePerson(name, sharedWorkerOf(phoneAgent))).toEqual(HUMAN);
    },
  );
});
