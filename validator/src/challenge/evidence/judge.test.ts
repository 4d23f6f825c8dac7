import { readdirSync } from 'node:fs';
import { reasons } from '@guard/config/contract/reasons';
import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../page-contract/evidence.ts';
import { fixture, type Fixture } from '../testing/challenged-visitor.ts';
import { automated, doubtful, HUMAN, judged, judgedPerson, LISTENING } from '../testing/judged.ts';

function recordings(folder: 'human' | 'automated'): string[] {
  return readdirSync(new URL(`fixtures/${folder}`, import.meta.url)).map((f) => `${folder}/${f}`);
}

/** Recordings of drivers that show only signs that a person with an unusual browser can show too. */
const DOUBTFUL = [
  'automated/chromium-build-as-windows-chrome.json',
  'automated/patchright-headful.json',
  'automated/playwright-headful-windows-agent.json',
];

function outcomeOf(recording: string): 'doubtful' | 'automated' {
  return DOUBTFUL.includes(recording) ? 'doubtful' : 'automated';
}

/** A recorded browser of a person, with some readings replaced. */
function withReadings(readings: Partial<Readings>, name = 'chromium-headful-xvfb-default-screen') {
  return judgedPerson(name, { readings });
}

describe('contract 2.2, automated_browser and fingerprint_mismatch: recorded browsers', () => {
  test('both folders contain recordings', () => {
    expect(recordings('human').length).toBeGreaterThanOrEqual(15);
    expect(recordings('automated').length).toBeGreaterThanOrEqual(5);
  });

  test.each(recordings('human'))('%s is a person', (name) => {
    expect(judged(fixture(name))).toMatchObject(HUMAN);
  });

  test.each(recordings('automated'))('%s does not pass, for exactly its reasons', (name) => {
    const { reasons: found, ...recording } = fixture(name);
    expect(judged(recording)).toEqual({ kind: outcomeOf(name), reasons: found });
  });
});

describe('an unusual User-Agent', () => {
  test.each(recordings('automated'))(
    '%s with one more space has the same judgement and reasons',
    (name) => {
      const { evidence, headers, reasons: found } = fixture(name);
      const other = JSON.stringify({ evidence, headers }).replaceAll(
        'Mozilla/5.0 (',
        'Mozilla/5.0  (',
      );
      const reformed = JSON.parse(other) as Pick<Fixture, 'evidence' | 'headers'>;
      expect(judged(reformed)).toEqual({ kind: outcomeOf(name), reasons: found });
    },
  );

  test('page_mismatch: an app on a Mac that names only WebKit has no finding', () => {
    const { evidence, headers } = fixture('human/safari-mac.json');
    const userAgent =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
    const [worker, frame] = [evidence.readings.worker, evidence.readings.frame].map((read) =>
      'value' in read ? { value: { ...read.value, userAgent } } : read,
    );
    const agent = { ...evidence.agent, userAgent };
    const readings = { ...evidence.readings, worker, frame } as Readings;
    const app = { ...evidence, agent, readings };
    expect(judged({ evidence: app, headers: { ...headers, 'user-agent': userAgent } })).toEqual(
      judged({ evidence, headers }),
    );
  });

  test.each([
    'Mozilla/5.0 (Linux; U; Android 4.3; en-us) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30',
    'Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/69.0.3497.100 Safari/537.36',
    'Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.18',
  ])('page_mismatch: a browser that cannot run the page, %s', (userAgent) => {
    const person = fixture('human/chromium-headful-xvfb-default-screen.json');
    const evidence = { ...person.evidence, agent: { ...person.evidence.agent, userAgent } };
    const judgement = judged({ evidence, headers: { ...person.headers, 'user-agent': userAgent } });
    expect('reasons' in judgement ? judgement.reasons : []).toContain('page_mismatch');
  });
});

describe('a missing reading is no evidence', () => {
  const unread = ['absent', 'failed', 'timeout'] as const;
  const names = Object.keys(
    fixture('human/firefox-headful.json').evidence.readings,
  ) as (keyof Readings)[];

  test.each(names.filter((name) => name !== 'cascade'))('a person passes without %s', (name) => {
    for (const why of unread) {
      expect(withReadings({ [name]: { unread: why } })).toEqual(HUMAN);
      expect(withReadings({ [name]: { unread: why } }, 'firefox-headful')).toEqual(HUMAN);
    }
  });
});

describe('each judge finds its contradiction', () => {
  test.each(['__playwright__binding__', '__pwInitScripts', 'cdc_adoQpoasnfa76pfcZLmcfl_Array'])(
    'automation_globals: the page has the global %s',
    (name) => {
      expect(withReadings({ automation: { value: [name] } })).toEqual(
        automated('automation_globals'),
      );
    },
  );

  test('automation_globals: navigator.webdriver is missing in a version of Chromium that has it', () => {
    const webdriver = { value: { reported: null, ownProperty: false, nativeGetter: null } };
    expect(withReadings({ webdriver })).toEqual(automated('automation_globals'));
  });

  test.each([
    ['for all pages, as an extension does', false, 'doubtful', 'webdriver_replaced'],
    ['only in this page', true, 'automated', 'automation_globals'],
  ])(
    'navigator.webdriver was replaced %s (own property: %s): %s, %s',
    (_where, ownProperty, kind, reason) => {
      const webdriver = { value: { reported: false, ownProperty, nativeGetter: false } };
      expect(withReadings({ webdriver })).toEqual({ kind, reasons: [reason] });
    },
  );

  test('worker_mismatch: the page has another User-Agent than its worker', () => {
    const { worker } = fixture('human/firefox-headful.json').evidence.readings;
    expect(withReadings({ worker })).toEqual(doubtful('worker_mismatch'));
  });

  test('page_mismatch: the request names another version than the page', () => {
    const person = fixture('human/chromium-headful-xvfb-default-screen.json');
    const userAgent = person.headers['user-agent']?.replace('156', '155') ?? '';
    expect(judged({ ...person, headers: { 'user-agent': userAgent } })).toEqual(
      doubtful('page_mismatch'),
    );
  });

  test('page_mismatch: Chromium that claims to be Firefox', () => {
    const { engine } = fixture('human/chromium-headful-incognito.json').evidence.readings;
    expect(withReadings({ engine }, 'firefox-headful')).toEqual(doubtful('page_mismatch'));
  });

  test.each([
    ['sec-ch-ua', '"Chromium";v="120", "Not:A-Brand";v="8"'],
    ['sec-ch-ua-platform', '"Windows"'],
  ])('client_hints_mismatch: %s says %s', (name, value) => {
    const person = fixture('human/chromium-headful-xvfb-default-screen.json');
    expect(judged({ ...person, headers: { ...person.headers, [name]: value } })).toEqual(
      doubtful('client_hints_mismatch'),
    );
  });

  const frameOf = (change: object) => {
    const { agent } = fixture('human/chromium-headful-incognito.json').evidence;
    const clean = { webdriver: false, ...agent, chrome: true, plugins: 5, ...change };
    return withReadings({ frame: { value: clean } });
  };

  test('webdriver: only the empty frame reports it', () => {
    expect(frameOf({})).toEqual(HUMAN);
    expect(frameOf({ webdriver: true })).toEqual(automated('webdriver'));
  });

  test.each([{ userAgent: 'Mozilla/5.0 (another)' }, { platform: 'Win32' }])(
    'frame_mismatch: the empty frame saw %j',
    (change) => {
      expect(frameOf(change)).toEqual(doubtful('frame_mismatch'));
    },
  );

  test('an empty frame without values, as in old engines, is no evidence', () => {
    expect(frameOf({ userAgent: '', platform: '' })).toEqual(HUMAN);
  });

  const proxies = (...proxied: string[]) => withReadings({ disguises: { value: { proxied } } });

  test.each([
    [['Function.toString', 'navigator.languages', 'WebGL.getParameter']],
    [['navigator.webdriver']],
  ])('disguised_natives: %j are Proxies', (names) => {
    expect(proxies(...names)).toEqual(automated('disguised_natives'));
  });

  test.each([
    ['a content blocker hides changes to other functions', ['Function.toString']],
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
    expect(proxies(...proxied)).toEqual(HUMAN);
  });

  test('automation_flags: the browser allowed a flood of history updates', () => {
    const flooding = (asked: number, granted: number, name?: string) =>
      withReadings({ flooding: { value: { asked, granted } } }, name);
    const found = automated('automation_flags');
    expect(flooding(5_000, 5_000)).toEqual(found);
    expect(flooding(5_000, 5_000, 'firefox-headful')).toEqual(found);
    for (const [asked, granted] of [
      [201, 200],
      [201, 0],
      [1_001, 1_000],
      // A later version with a higher limit.
      [5_000, 2_000],
      [5_000, 201],
    ] as const) {
      expect(flooding(asked, granted)).toEqual(HUMAN);
      expect(flooding(asked, granted, 'firefox-headful')).toEqual(HUMAN);
    }
  });

  test('automation_flags: a flood is a finding in every version', () => {
    const readings = { flooding: { value: { asked: 5_000, granted: 5_000 } } };
    const future = { readings, words: [['156', '290']] } as const;
    expect(judgedPerson('chromium-headful-incognito', future)).toEqual(
      automated('automation_flags'),
    );
  });

  const screen = (change: object) => {
    const { screen: own } = fixture('human/chromium-headful-incognito.json').evidence.readings;
    if (!('value' in own)) throw new Error('the recording has a screen');
    const metrics = { width: 1280, height: 720, innerWidth: 1280, innerHeight: 720 };
    return withReadings({ screen: { value: { ...own.value, ...metrics, ...change } } });
  };

  test('emulated_screen: the viewport is as large as the screen, and the window is taller', () => {
    expect(screen({ outerWidth: 1288, outerHeight: 805 })).toEqual(doubtful('emulated_screen'));
  });

  test.each([
    ['is as large as the screen', { outerWidth: 1280, outerHeight: 720 }],
    ['is larger than the screen', { width: 800, height: 600, outerWidth: 1280, outerHeight: 807 }],
  ])('emulated_screen: a window on Linux %s, and has no scroll bars', (_how, change) => {
    expect(screen({ ...change, scrollBar: 0 })).toEqual(doubtful('emulated_screen'));
    expect(screen({ ...change, scrollBar: 15 })).toEqual(HUMAN);
  });

  test.each([
    ['full screen', { outerWidth: 1280, outerHeight: 720 }],
    ['Brave, whose screen is the viewport', { outerWidth: 1285, outerHeight: 727 }],
    ['a window over the edge', { outerWidth: 1400, outerHeight: 900, innerHeight: 801 }],
  ])('no finding: %s', (_who, change) => {
    expect(screen(change)).toEqual(HUMAN);
  });

  test('debugger_attached: a developer with open tools passes', () => {
    expect(withReadings(LISTENING)).toMatchObject(HUMAN);
  });

  test('debugger_attached and language_mismatch: two weak findings of different groups are a doubt', () => {
    const person = fixture('human/chromium-headful-incognito.json');
    const headers = { ...person.headers, 'accept-language': 'fr-FR,fr;q=0.9' };
    expect(judged({ ...person, headers })).toMatchObject(HUMAN);
    Object.assign(person.evidence.readings, LISTENING);
    expect(judged({ ...person, headers })).toEqual(
      doubtful('debugger_attached', 'language_mismatch'),
    );
  });

  test.each(['en-GB,fr;q=0.5', 'EN', '*', '', 'en-US,en;q=0.9,*;q=0.1'])(
    'no language_mismatch with Accept-Language %j',
    (header) => {
      const person = fixture('human/chromium-headful-incognito.json');
      Object.assign(person.evidence.readings, LISTENING);
      const headers = { ...person.headers, 'accept-language': header };
      expect(judged({ ...person, headers })).toMatchObject(HUMAN);
    },
  );

  test('client_hints_mismatch: the list of full versions is empty, as after a User-Agent on the command line', () => {
    const { hints } = fixture('human/chromium-headful-xvfb-default-screen.json').evidence.readings;
    if (!('value' in hints)) throw new Error('the recording has hints');
    const full = (fullVersions: number | null) =>
      withReadings({ hints: { value: { ...hints.value, fullVersions } } });
    expect(full(0)).toEqual(doubtful('client_hints_mismatch'));
    expect(full(2)).toEqual(HUMAN);
    expect(full(null)).toEqual(HUMAN);
  });

  test('the contract has every reason that a recording expects', () => {
    for (const name of recordings('automated')) {
      for (const reason of fixture(name).reasons) expect(reasons).toHaveProperty(reason);
    }
  });
});
