import { readdirSync } from 'node:fs';
import { reasons } from '@guard/config/contract/reasons';
import { describe, expect, test } from 'vitest';
import type { Evidence, Readings } from './evidence.ts';
import { judge } from './judge.ts';
import { fixture, type Fixture } from './test-challenge.ts';

function judged({ evidence, headers }: Pick<Fixture, 'evidence' | 'headers'>) {
  return judge(evidence, { userAgent: headers['user-agent'] ?? '', headers });
}

function recordings(folder: 'human' | 'automated'): string[] {
  return readdirSync(new URL(`fixtures/${folder}`, import.meta.url)).map((f) => `${folder}/${f}`);
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

describe('spec 2.2, automated_browser and fingerprint_mismatch: recorded browsers', () => {
  test('both folders hold recordings', () => {
    expect(recordings('human').length).toBeGreaterThanOrEqual(15);
    expect(recordings('automated').length).toBeGreaterThanOrEqual(5);
  });

  test.each(recordings('human'))('%s is a person', (name) => {
    expect(judged(fixture(name))).toEqual({ kind: 'human' });
  });

  test.each(recordings('automated'))('%s is automated, for exactly its reasons', (name) => {
    const recording = fixture(name);
    expect(judged(recording)).toEqual({ kind: 'automated', reasons: recording.reasons });
  });
});

describe('what could not be read is no evidence', () => {
  const unread = ['absent', 'failed', 'timeout'] as const;
  const names = Object.keys(
    fixture('human/firefox-headful.json').evidence.readings,
  ) as (keyof Readings)[]; // Object.keys forgets the names.

  test.each(names)('a person stays one without %s', (name) => {
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

  test('worker_mismatch: the page was given another User-Agent than its worker', () => {
    const { worker } = fixture('human/firefox-headful.json').evidence.readings;
    expect(withReadings({ worker })).toEqual({ kind: 'automated', reasons: ['worker_mismatch'] });
  });

  test('page_mismatch: the request said another version than the page', () => {
    const person = fixture('human/chromium-headful-xvfb-default-screen.json');
    const userAgent = person.headers['user-agent']?.replace('156', '155') ?? '';
    expect(judge(person.evidence, { userAgent, headers: {} })).toEqual({
      kind: 'automated',
      reasons: ['page_mismatch'],
    });
  });

  test('page_mismatch: Chromium under the name of Firefox', () => {
    const { engine } = fixture('human/chromium-headful-incognito.json').evidence.readings;
    expect(withReadings({ engine }, 'firefox-headful')).toEqual({
      kind: 'automated',
      reasons: ['page_mismatch'],
    });
  });

  test.each([
    ['sec-ch-ua', '"Chromium";v="120", "Not:A-Brand";v="8"'],
    ['sec-ch-ua-platform', '"Windows"'],
  ])('client_hints_mismatch: %s says %s', (name, value) => {
    const person = fixture('human/chromium-headful-xvfb-default-screen.json');
    expect(judged({ ...person, headers: { ...person.headers, [name]: value } })).toEqual({
      kind: 'automated',
      reasons: ['client_hints_mismatch'],
    });
  });

  test('every reason a recording expects is one of the contract', () => {
    for (const name of recordings('automated')) {
      for (const reason of fixture(name).reasons) expect(reasons).toHaveProperty(reason);
    }
  });
});
