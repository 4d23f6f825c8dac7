import { readdirSync } from 'node:fs';
import { reasons } from '@guard/config/contract/reasons';
import { describe, expect, test } from 'vitest';
import type { Evidence, Readings } from '../../../page-contract/evidence.ts';
import { judge } from './judge.ts';
import { answering, NO_SHEET, USUAL } from '../testing/answers.ts';
import { fixture, type Fixture } from '../testing/challenged-visitor.ts';

const TICKET = 'the ticket of these tests';

/** Judged as the answer to one ticket. */
function judged({ evidence, headers }: Pick<Fixture, 'evidence' | 'headers'>) {
  return judge(
    answering(evidence, TICKET),
    { userAgent: headers['user-agent'] ?? '', headers, country: '', found: [] },
    NO_SHEET,
    USUAL,
  );
}

function recordings(folder: 'human' | 'automated'): string[] {
  return readdirSync(new URL(`fixtures/${folder}`, import.meta.url)).map((f) => `${folder}/${f}`);
}

/** Drivers that show only what a person with an unusual browser can show, too. */
const DOUBTFUL = [
  'automated/chromium-build-as-windows-chrome.json',
  'automated/patchright-headful.json',
  'automated/playwright-headful-windows-agent.json',
];

function outcomeOf(recording: string): 'doubtful' | 'automated' {
  return DOUBTFUL.includes(recording) ? 'doubtful' : 'automated';
}

/** A recorded person's browser, with some readings replaced. */
function withReadings(readings: Partial<Readings>, name = 'chromium-headful-xvfb-default-screen') {
  const person = fixture(`human/${name}.json`);
  const evidence: Evidence = {
    ...person.evidence,
    readings: { ...person.evidence.readings, ...readings },
  };
  return judged({ ...person, evidence });
}

describe('contract 2.2, automated_browser and fingerprint_mismatch: recorded browsers', () => {
  test('both folders hold recordings', () => {
    expect(recordings('human').length).toBeGreaterThanOrEqual(15);
    expect(recordings('automated').length).toBeGreaterThanOrEqual(5);
  });

  test.each(recordings('human'))('%s is a person', (name) => {
    expect(judged(fixture(name))).toMatchObject({ kind: 'human' });
  });

  test.each(recordings('automated'))(
    '%s is not let through as a person, for exactly its reasons',
    (name) => {
      const { reasons: found, ...recording } = fixture(name);
      expect(judged(recording)).toEqual({ kind: outcomeOf(name), reasons: found });
    },
  );
});

describe('an agent that is written in another form than browsers write it', () => {
  test.each(recordings('automated'))('%s is judged the same, for exactly its reasons', (name) => {
    const { evidence, headers, reasons: found } = fixture(name);
    const other = JSON.stringify({ evidence, headers }).replaceAll(
      'Mozilla/5.0 (',
      'Mozilla/5.0  (',
    );
    const reformed = JSON.parse(other) as Pick<Fixture, 'evidence' | 'headers'>; // Only a space was added.
    expect(judged(reformed)).toEqual({ kind: outcomeOf(name), reasons: found });
  });

  test('page_mismatch: an app of a Mac or an iPad names no browser, and is none', () => {
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
  ])('page_mismatch: %s cannot run the page', (userAgent) => {
    const person = fixture('human/chromium-headful-xvfb-default-screen.json');
    const evidence = { ...person.evidence, agent: { ...person.evidence.agent, userAgent } };
    const judgement = judged({ evidence, headers: { ...person.headers, 'user-agent': userAgent } });
    expect('reasons' in judgement ? judgement.reasons : []).toContain('page_mismatch');
  });
});

describe('what could not be read is no evidence', () => {
  const unread = ['absent', 'failed', 'timeout'] as const;
  const names = Object.keys(
    fixture('human/firefox-headful.json').evidence.readings,
  ) as (keyof Readings)[]; // Object.keys forgets the names.

  test.each(names.filter((name) => name !== 'cascade'))('a person stays one without %s', (name) => {
    for (const why of unread) {
      expect(withReadings({ [name]: { unread: why } })).toEqual({ kind: 'human' });
      expect(withReadings({ [name]: { unread: why } }, 'firefox-headful')).toEqual({
        kind: 'human',
      });
    }
  });
});

describe('each judge finds its own contradiction', () => {
  test.each(['__playwright__binding__', '__pwInitScripts', 'cdc_adoQpoasnfa76pfcZLmcfl_Array'])(
    'automation_globals: %s stands in the page',
    (name) => {
      expect(withReadings({ automation: { value: [name] } })).toEqual({
        kind: 'automated',
        reasons: ['automation_globals'],
      });
    },
  );

  test('automation_globals: navigator.webdriver was deleted from a Chromium that has it', () => {
    const webdriver = { value: { reported: null, ownProperty: false, nativeGetter: null } };
    expect(withReadings({ webdriver })).toEqual({
      kind: 'automated',
      reasons: ['automation_globals'],
    });
  });

  test.each([
    ['for all pages, as an extension does: a doubt', false, 'doubtful', 'webdriver_replaced'],
    ['on the navigator of this page alone', true, 'automated', 'automation_globals'],
  ])('navigator.webdriver was replaced %s', (_where, ownProperty, kind, reason) => {
    const webdriver = { value: { reported: false, ownProperty, nativeGetter: false } };
    expect(withReadings({ webdriver })).toEqual({ kind, reasons: [reason] });
  });

  test('worker_mismatch: the page was given another User-Agent than its worker', () => {
    const { worker } = fixture('human/firefox-headful.json').evidence.readings;
    expect(withReadings({ worker })).toEqual({ kind: 'doubtful', reasons: ['worker_mismatch'] });
  });

  test('page_mismatch: the request said another version than the page', () => {
    const person = fixture('human/chromium-headful-xvfb-default-screen.json');
    const userAgent = person.headers['user-agent']?.replace('156', '155') ?? '';
    expect(judged({ ...person, headers: { 'user-agent': userAgent } })).toEqual({
      kind: 'doubtful',
      reasons: ['page_mismatch'],
    });
  });

  test('page_mismatch: Chromium under the name of Firefox', () => {
    const { engine } = fixture('human/chromium-headful-incognito.json').evidence.readings;
    expect(withReadings({ engine }, 'firefox-headful')).toEqual({
      kind: 'doubtful',
      reasons: ['page_mismatch'],
    });
  });

  test.each([
    ['sec-ch-ua', '"Chromium";v="120", "Not:A-Brand";v="8"'],
    ['sec-ch-ua-platform', '"Windows"'],
  ])('client_hints_mismatch: %s says %s', (name, value) => {
    const person = fixture('human/chromium-headful-xvfb-default-screen.json');
    expect(judged({ ...person, headers: { ...person.headers, [name]: value } })).toEqual({
      kind: 'doubtful',
      reasons: ['client_hints_mismatch'],
    });
  });

  const frameOf = (change: object) => {
    const { agent } = fixture('human/chromium-headful-incognito.json').evidence;
    const clean = { webdriver: false, ...agent, chrome: true, plugins: 5, ...change };
    return withReadings({ frame: { value: clean } });
  };

  test('webdriver: only the empty frame still says so', () => {
    expect(frameOf({})).toEqual({ kind: 'human' });
    expect(frameOf({ webdriver: true })).toEqual({ kind: 'automated', reasons: ['webdriver'] });
  });

  test.each([{ userAgent: 'Mozilla/5.0 (another)' }, { platform: 'Win32' }])(
    'frame_mismatch: the empty frame saw %j',
    (change) => {
      expect(frameOf(change)).toEqual({ kind: 'doubtful', reasons: ['frame_mismatch'] });
    },
  );

  test('an empty frame that an old engine has not filled yet is no evidence', () => {
    expect(frameOf({ userAgent: '', platform: '' })).toEqual({ kind: 'human' });
  });

  const proxies = (...proxied: string[]) => withReadings({ disguises: { value: { proxied } } });

  test.each([
    [['Function.toString', 'navigator.languages', 'WebGL.getParameter']],
    [['navigator.webdriver']],
  ])('disguised_natives: %j are Proxies', (names) => {
    expect(proxies(...names)).toEqual({ kind: 'automated', reasons: ['disguised_natives'] });
  });

  test.each([
    ['a content blocker hides changes that lie elsewhere', ['Function.toString']],
    [
      'a privacy extension covers two natives',
      ['navigator.hardwareConcurrency', 'WebGL.getParameter'],
    ],
    ['both together', ['Function.toString', 'WebGL.getParameter']],
    [
      'a privacy extension wraps WebGL and hides that',
      ['Function.toString', 'HTMLCanvasElement.getContext', 'WebGL.getParameter'],
    ],
  ])('no finding: %s', (_who, proxied) => {
    expect(proxies(...proxied)).toEqual({ kind: 'human' });
  });

  test('automation_flags: no flood of history updates was refused', () => {
    const flooding = (asked: number, granted: number, name?: string) =>
      withReadings({ flooding: { value: { asked, granted } } }, name);
    const found = { kind: 'automated', reasons: ['automation_flags'] };
    expect(flooding(5_000, 5_000)).toEqual(found);
    expect(flooding(5_000, 5_000, 'firefox-headful')).toEqual(found);
    for (const [asked, granted] of [
      [201, 200],
      [201, 0],
      [1_001, 1_000],
      // A version that has raised its limit.
      [5_000, 2_000],
      [5_000, 201],
    ] as const) {
      expect(flooding(asked, granted)).toEqual({ kind: 'human' });
      expect(flooding(asked, granted, 'firefox-headful')).toEqual({ kind: 'human' });
    }
  });

  test('automation_flags: a flood is one in every version', () => {
    const text = JSON.stringify(fixture('human/chromium-headful-incognito.json'));
    const future = JSON.parse(text.replaceAll('156', '290')) as Fixture;
    future.evidence.readings.flooding = { value: { asked: 5_000, granted: 5_000 } };
    expect(judged(future)).toEqual({ kind: 'automated', reasons: ['automation_flags'] });
  });

  const screen = (change: object) => {
    const { screen: own } = fixture('human/chromium-headful-incognito.json').evidence.readings;
    if (!('value' in own)) throw new Error('the recording has a screen');
    const metrics = { width: 1280, height: 720, innerWidth: 1280, innerHeight: 720 };
    return withReadings({ screen: { value: { ...own.value, ...metrics, ...change } } });
  };

  test('emulated_screen: the window is taller than the screen that its viewport fills', () => {
    expect(screen({ outerWidth: 1288, outerHeight: 805 })).toEqual({
      kind: 'doubtful',
      reasons: ['emulated_screen'],
    });
  });

  test.each([
    ['fills it', { outerWidth: 1280, outerHeight: 720 }],
    ['is larger', { width: 800, height: 600, outerWidth: 1280, outerHeight: 807 }],
  ])('emulated_screen: a window on Linux that %s, and no scroll bars', (_how, change) => {
    expect(screen({ ...change, scrollBar: 0 })).toEqual({
      kind: 'doubtful',
      reasons: ['emulated_screen'],
    });
    expect(screen({ ...change, scrollBar: 15 })).toEqual({ kind: 'human' });
  });

  test.each([
    ['full screen', { outerWidth: 1280, outerHeight: 720 }],
    ['Brave, whose screen is the viewport', { outerWidth: 1285, outerHeight: 727 }],
    ['a window over the edge', { outerWidth: 1400, outerHeight: 900, innerHeight: 801 }],
  ])('no finding: %s', (_who, change) => {
    expect(screen(change)).toEqual({ kind: 'human' });
  });

  const listening = { inspector: { value: { stacksFormatted: 1 } } } as const;

  test('debugger_attached: a developer with the tools open passes', () => {
    expect(withReadings(listening)).toMatchObject({ kind: 'human' });
  });

  test('debugger_attached and language_mismatch: two weak signs of different kinds are a doubt', () => {
    const person = fixture('human/chromium-headful-incognito.json');
    const french = {
      ...person,
      headers: { ...person.headers, 'accept-language': 'fr-FR,fr;q=0.9' },
    };
    expect(judged(french)).toMatchObject({ kind: 'human' });
    const { evidence } = french;
    const both = { ...evidence, readings: { ...evidence.readings, ...listening } };
    expect(judged({ ...french, evidence: both })).toEqual({
      kind: 'doubtful',
      reasons: ['debugger_attached', 'language_mismatch'],
    });
  });

  test.each(['en-GB,fr;q=0.5', 'EN', '*', '', 'en-US,en;q=0.9,*;q=0.1'])(
    'no language_mismatch with Accept-Language %j',
    (header) => {
      const person = fixture('human/chromium-headful-incognito.json');
      const evidence = {
        ...person.evidence,
        readings: { ...person.evidence.readings, ...listening },
      };
      const headers = { ...person.headers, 'accept-language': header };
      expect(judged({ evidence, headers })).toMatchObject({ kind: 'human' });
    },
  );

  test('client_hints_mismatch: the User-Agent was set on the command line, which empties the full versions', () => {
    const { hints } = fixture('human/chromium-headful-xvfb-default-screen.json').evidence.readings;
    if (!('value' in hints)) throw new Error('the recording has hints');
    const full = (fullVersions: number | null) =>
      withReadings({ hints: { value: { ...hints.value, fullVersions } } });
    expect(full(0)).toEqual({ kind: 'doubtful', reasons: ['client_hints_mismatch'] });
    expect(full(2)).toEqual({ kind: 'human' });
    expect(full(null)).toEqual({ kind: 'human' });
  });

  test('every reason a recording expects is one of the contract', () => {
    for (const name of recordings('automated')) {
      for (const reason of fixture(name).reasons) expect(reasons).toHaveProperty(reason);
    }
  });
});
