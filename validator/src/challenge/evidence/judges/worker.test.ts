import { describe, expect, test } from 'vitest';
import { automated, doubtful, HUMAN, judgedPerson } from '../../testing/judged.ts';
import { fixture } from '../../testing/challenged-visitor.ts';

const DESKTOP = 'chromium-headful-incognito';
const { agent } = fixture(`human/${DESKTOP}.json`).evidence;

const sharing = (userAgent: string, fullVersions: number | null = 2) => ({
  readings: {
    sharedWorker: { value: { userAgent, platform: agent.platform, fullVersions } },
  },
});

describe('a shared worker', () => {
  test('worker_mismatch: the page has another version, as from a driver', () => {
    const older = agent.userAgent.replace('/156.', '/153.');
    expect(judgedPerson(DESKTOP, sharing(older))).toEqual(doubtful('worker_mismatch'));
  });

  test('headless_browser: only the shared worker names a headless browser', () => {
    const headless = agent.userAgent.replace('Chrome/', 'HeadlessChrome/');
    expect(judgedPerson(DESKTOP, sharing(headless))).toEqual(
      automated('headless_browser', 'worker_mismatch'),
    );
  });

  test('client_hints_mismatch: the shared worker has no full versions, although the page has some', () => {
    expect(judgedPerson(DESKTOP, sharing(agent.userAgent, 0))).toEqual(
      doubtful('client_hints_mismatch'),
    );
  });

  test('no finding: a browser without shared workers, and a browser on plain http without hints', () => {
    const readings = { sharedWorker: { unread: 'absent' } } as const;
    expect(judgedPerson(DESKTOP, { readings })).toEqual(HUMAN);
    expect(judgedPerson(DESKTOP, sharing(agent.userAgent, null))).toEqual(HUMAN);
  });

  test.each(['chrome-android-desktop-mode', 'safari-ipad-desktop-mode'])(
    'no finding: %s, because desktop mode changes only the page',
    (name) => {
      const phone = fixture('human/chrome-android.json').evidence.agent.userAgent;
      expect(judgedPerson(name, sharing(phone))).toEqual(HUMAN);
    },
  );
});
