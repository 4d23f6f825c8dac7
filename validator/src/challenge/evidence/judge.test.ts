import { readdirSync } from 'node:fs';
import { reasons } from '@guard/config/contract/reasons';
import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../page-contract/evidence.ts';
import { readFixture, type Fixture } from '../testing/challenged-visitor.ts';
import {
  automated,
  doubtful,
  HUMAN,
  judgeRecording,
  judgePerson,
  LISTENING,
} from '../testing/judge-recordings.ts';

function recordings(folder: 'human' | 'automated'): string[] {
  return readdirSync(new URL(`fixtures/${folder}`, import.meta.url)).map(
    (file) => `${folder}/${file}`,
  );
}

/** Recordings of drivers that show only signs of automation that a person's unusual browser can show too. */
const DOUBTFUL_RECORDINGS = [
  'automated/chromium-build-as-windows-chrome.json',
  'automated/patchright-headful.json',
  'automated/playwright-headful-windows-agent.json',
];

function outcomeOf(recording: string): 'doubtful' | 'automated' {
  return DOUBTFUL_RECORDINGS.includes(recording) ? 'doubtful' : 'automated';
}

/** The judgement of a recording of a person's browser, with some readings replaced. */
function judgeWithReadings(
  readings: Partial<Readings>,
  name = 'chromium-headful-xvfb-default-screen',
) {
  return judgePerson(name, { readings });
}

describe('contract 2.2, automated_browser and fingerprint_mismatch: recorded browsers', () => {
  test('both folders contain recordings', () => {
    expect(recordings('human').length).toBeGreaterThanOrEqual(15);
    expect(recordings('automated').length).toBeGreaterThanOrEqual(5);
  });

  test.each(recordings('human'))('%s is a person', (name) => {
    expect(judgeRecording(readFixture(name))).toMatchObject(HUMAN);
  });

  test.each(recordings('automated'))(
    '%s does not pass, and has exactly the expected reasons',
    (name) => {
      const { reasons: expectedReasons, ...recording } = readFixture(name);
      expect(judgeRecording(recording)).toEqual({
        kind: outcomeOf(name),
        reasons: expectedReasons,
      });
    },
  );
});

describe('an unusual User-Agent', () => {
  test.each(recordings('automated'))(
    '%s with one more space in its User-Agent has the same judgement and reasons',
    (name) => {
      const { evidence, headers, reasons: expectedReasons } = readFixture(name);
      const spacedText = JSON.stringify({ evidence, headers }).replaceAll(
        'Mozilla/5.0 (',
        'Mozilla/5.0  (',
      );
      const spacedRecording = JSON.parse(spacedText) as Pick<Fixture, 'evidence' | 'headers'>;
      expect(judgeRecording(spacedRecording)).toEqual({
        kind: outcomeOf(name),
        reasons: expectedReasons,
      });
    },
  );

  test('no page_mismatch: an app on a Mac that names only WebKit', () => {
    const { evidence, headers } = readFixture('human/safari-mac.json');
    const userAgent =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
    const [worker, frame] = [evidence.readings.worker, evidence.readings.frame].map((reading) =>
      'value' in reading ? { value: { ...reading.value, userAgent } } : reading,
    );
    const agent = { ...evidence.agent, userAgent };
    const readings = { ...evidence.readings, worker, frame } as Readings;
    const evidenceOfApp = { ...evidence, agent, readings };
    expect(
      judgeRecording({ evidence: evidenceOfApp, headers: { ...headers, 'user-agent': userAgent } }),
    ).toEqual(judgeRecording({ evidence, headers }));
  });

  test.each([
    'Mozilla/5.0 (Linux; U; Android 4.3; en-us) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30',
    'Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/69.0.3497.100 Safari/537.36',
    'Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.18',
  ])('page_mismatch: a browser that cannot run the page, %s', (userAgent) => {
    const person = readFixture('human/chromium-headful-xvfb-default-screen.json');
    const evidence = { ...person.evidence, agent: { ...person.evidence.agent, userAgent } };
    const judgement = judgeRecording({
      evidence,
      headers: { ...person.headers, 'user-agent': userAgent },
    });
    expect('reasons' in judgement ? judgement.reasons : []).toContain('page_mismatch');
  });
});

describe('a missing reading is no evidence', () => {
  const unread = ['absent', 'failed', 'timeout'] as const;
  const names = Object.keys(
    readFixture('human/firefox-headful.json').evidence.readings,
  ) as (keyof Readings)[];

  test.each(names.filter((name) => name !== 'cascade'))('a person passes without %s', (name) => {
    for (const why of unread) {
      expect(judgeWithReadings({ [name]: { unread: why } })).toEqual(HUMAN);
      expect(judgeWithReadings({ [name]: { unread: why } }, 'firefox-headful')).toEqual(HUMAN);
    }
  });
});

describe('each judge finds its contradiction', () => {
  test.each(['__playwright__binding__', '__pwInitScripts', 'cdc_adoQpoasnfa76pfcZLmcfl_Array'])(
    'automation_globals: the page has the global %s',
    (name) => {
      expect(judgeWithReadings({ automation: { value: [name] } })).toEqual(
        automated('automation_globals'),
      );
    },
  );

  test('automation_globals: navigator.webdriver is missing in a version of Chromium that has it', () => {
    const webdriver = { value: { reported: null, ownProperty: false, nativeGetter: null } };
    expect(judgeWithReadings({ webdriver })).toEqual(automated('automation_globals'));
  });

  test.each([
    ['on the prototype, as an extension does it', false, 'doubtful', 'webdriver_replaced'],
    ['on the navigator itself', true, 'automated', 'automation_globals'],
  ])(
    'navigator.webdriver was replaced %s (own property: %s): %s, %s',
    (_where, ownProperty, kind, reason) => {
      const webdriver = { value: { reported: false, ownProperty, nativeGetter: false } };
      expect(judgeWithReadings({ webdriver })).toEqual({ kind, reasons: [reason] });
    },
  );

  test('worker_mismatch: the page has another User-Agent than its worker', () => {
    const { worker } = readFixture('human/firefox-headful.json').evidence.readings;
    expect(judgeWithReadings({ worker })).toEqual(doubtful('worker_mismatch'));
  });

  test('page_mismatch: the request names another version than the page', () => {
    const person = readFixture('human/chromium-headful-xvfb-default-screen.json');
    const userAgent = person.headers['user-agent']?.replace('156', '155') ?? '';
    expect(judgeRecording({ ...person, headers: { 'user-agent': userAgent } })).toEqual(
      doubtful('page_mismatch'),
    );
  });

  test('page_mismatch: Chromium that claims to be Firefox', () => {
    const { engine } = readFixture('human/chromium-headful-incognito.json').evidence.readings;
    expect(judgeWithReadings({ engine }, 'firefox-headful')).toEqual(doubtful('page_mismatch'));
  });

  test.each([
    ['sec-ch-ua', '"Chromium";v="120", "Not:A-Brand";v="8"'],
    ['sec-ch-ua-platform', '"Windows"'],
  ])('client_hints_mismatch: %s says %s', (name, value) => {
    const person = readFixture('human/chromium-headful-xvfb-default-screen.json');
    expect(judgeRecording({ ...person, headers: { ...person.headers, [name]: value } })).toEqual(
      doubtful('client_hints_mismatch'),
    );
  });

  const judgeFrame = (change: object) => {
    const { agent } = readFixture('human/chromium-headful-incognito.json').evidence;
    const frame = { webdriver: false, ...agent, chrome: true, plugins: 5, ...change };
    return judgeWithReadings({ frame: { value: frame } });
  };

  test('webdriver: only the empty frame reports it', () => {
    expect(judgeFrame({})).toEqual(HUMAN);
    expect(judgeFrame({ webdriver: true })).toEqual(automated('webdriver'));
  });

  test.each([{ userAgent: 'Mozilla/5.0 (another)' }, { platform: 'Win32' }])(
    'frame_mismatch: the empty frame saw %j',
    (change) => {
      expect(judgeFrame(change)).toEqual(doubtful('frame_mismatch'));
    },
  );

  test('an empty frame without values, as old engines have it, is no evidence', () => {
    expect(judgeFrame({ userAgent: '', platform: '' })).toEqual(HUMAN);
  });

  const judgeProxies = (...proxied: string[]) =>
    judgeWithReadings({ disguises: { value: { proxied } } });

  test.each([
    [['Function.toString', 'navigator.languages', 'WebGL.getParameter']],
    [['navigator.webdriver']],
  ])('disguised_natives: %j are Proxies', (names) => {
    expect(judgeProxies(...names)).toEqual(automated('disguised_natives'));
  });

  test.each([
    ['a content blocker wraps only the function that shows changes', ['Function.toString']],
    [
      'a privacy extension wraps two native functions',
      ['navigator.hardwareConcurrency', 'WebGL.getParameter'],
    ],
    ['a content blocker and a privacy extension', ['Function.toString', 'WebGL.getParameter']],
    [
      'a privacy extension wraps WebGL and hides the change',
      ['Function.toString', 'HTMLCanvasElement.getContext', 'WebGL.getParameter'],
    ],
  ])('no finding: %s', (_who, proxied) => {
    expect(judgeProxies(...proxied)).toEqual(HUMAN);
  });

  test('debugger_attached: a developer with open tools passes', () => {
    expect(judgeWithReadings(LISTENING)).toMatchObject(HUMAN);
  });

  test('debugger_attached and language_mismatch: two weak findings of different groups are a doubt', () => {
    const person = readFixture('human/chromium-headful-incognito.json');
    const headers = { ...person.headers, 'accept-language': 'fr-FR,fr;q=0.9' };
    expect(judgeRecording({ ...person, headers })).toMatchObject(HUMAN);
    Object.assign(person.evidence.readings, LISTENING);
    expect(judgeRecording({ ...person, headers })).toEqual(
      doubtful('debugger_attached', 'language_mismatch'),
    );
  });

  test.each(['en-GB,fr;q=0.5', 'EN', '*', '', 'en-US,en;q=0.9,*;q=0.1'])(
    'no language_mismatch with Accept-Language %j',
    (header) => {
      const person = readFixture('human/chromium-headful-incognito.json');
      Object.assign(person.evidence.readings, LISTENING);
      const headers = { ...person.headers, 'accept-language': header };
      expect(judgeRecording({ ...person, headers })).toMatchObject(HUMAN);
    },
  );

  test('client_hints_mismatch: the list of full versions is empty, because the command line sets the User-Agent', () => {
    const { hints } = readFixture('human/chromium-headful-xvfb-default-screen.json').evidence
      .readings;
    if (!('value' in hints)) throw new Error('the recording has hints');
    const judgeFullVersions = (fullVersions: number | null) =>
      judgeWithReadings({ hints: { value: { ...hints.value, fullVersions } } });
    expect(judgeFullVersions(0)).toEqual(doubtful('client_hints_mismatch'));
    expect(judgeFullVersions(2)).toEqual(HUMAN);
    expect(judgeFullVersions(null)).toEqual(HUMAN);
  });

  test('the contract contains every reason that a recording expects', () => {
    for (const name of recordings('automated')) {
      for (const reason of readFixture(name).reasons) expect(reasons).toHaveProperty(reason);
    }
  });
});
