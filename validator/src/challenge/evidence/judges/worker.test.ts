import { describe, expect, test } from 'vitest';
import { judgedPerson } from '../../testing/judged.ts';
import { fixture } from '../../testing/challenged-visitor.ts';

const DESKTOP = 'chromium-headful-incognito';
const { agent } = fixture(`human/${DESKTOP}.json`).evidence;

const sharing = (userAgent: string, fullVersions: number | null = 2) => ({
  readings: {
    sharedWorker: { value: { userAgent, platform: agent.platform, fullVersions } },
  },
});

describe('a worker that pages share', () => {
  test('worker_mismatch: a driver gave the page another version', () => {
    const older = agent.userAgent.replace('/156.', '/153.');
    expect(judgedPerson(DESKTOP, sharing(older))).toEqual({
      kind: 'doubtful',
      reasons: ['worker_mismatch'],
    });
  });

  test('headless_browser: it says so where the page and its own worker do not', () => {
    const headless = agent.userAgent.replace('Chrome/', 'HeadlessChrome/');
    expect(judgedPerson(DESKTOP, sharing(headless))).toEqual({
      kind: 'automated',
      reasons: ['headless_browser', 'worker_mismatch'],
    });
  });

  test('client_hints_mismatch: the agent is of the command line, and the page was given versions', () => {
    expect(judgedPerson(DESKTOP, sharing(agent.userAgent, 0))).toEqual({
      kind: 'doubtful',
      reasons: ['client_hints_mismatch'],
    });
  });

  test('no finding: a browser without such workers, and one on plain http, without hints', () => {
    const readings = { sharedWorker: { unread: 'absent' } } as const;
    expect(judgedPerson(DESKTOP, { readings })).toEqual({ kind: 'human' });
    expect(judgedPerson(DESKTOP, sharing(agent.userAgent, null))).toEqual({ kind: 'human' });
  });

  test.each(['chrome-android-desktop-mode', 'safari-ipad-desktop-mode'])(
    'no finding: %s, which is of the page alone',
    (name) => {
      const phone = fixture('human/chrome-android.json').evidence.agent.userAgent;
      expect(judgedPerson(name, sharing(phone))).toEqual({ kind: 'human' });
    },
  );
});
