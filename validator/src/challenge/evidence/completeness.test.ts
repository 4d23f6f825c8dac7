import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPageClaim } from '../../request/browser-claim.ts';
import { answerTicket } from '../testing/answers.ts';
import { readFixture } from '../testing/challenged-visitor.ts';
import { isIncomplete } from './completeness.ts';
import type { Evidence, SourceName } from '../../../page-contract/evidence.ts';

const recordingsOfPeople = readdirSync(join(import.meta.dirname, 'fixtures', 'human'));
const evidenceOf = (name: string) =>
  answerTicket(readFixture(`human/${name}`).evidence, 'a ticket');

function isIncompleteUpload(evidence: Evidence): boolean {
  return isIncomplete({ evidence, claim: readPageClaim(evidence.agent.userAgent) });
}

/** The same evidence without these readings. */
function withoutReadings(evidence: Evidence, names: readonly SourceName[]): Evidence {
  const unread = Object.fromEntries(names.map((name) => [name, { unread: 'absent' } as const]));
  return { ...evidence, readings: { ...evidence.readings, ...unread } };
}

const CHROME = evidenceOf('chrome-windows-office-fonts.json');
const FIREFOX = evidenceOf('firefox-headful-painted.json');
const SAFARI = evidenceOf('safari-mac.json');
const READINGS_OF_SOME_BROWSERS = ['worker', 'frame', 'disguises', 'painting', 'graphics'] as const;

describe('uploads of people', () => {
  test.each(recordingsOfPeople)('%s answers enough', (name) => {
    expect(isIncompleteUpload(evidenceOf(name))).toBe(false);
  });

  test.each<[string, Evidence, readonly SourceName[]]>([
    [
      'Chromium whose frames an extension blocks',
      CHROME,
      ['frame', 'disguises', 'flooding', 'partition'],
    ],
    ['Chromium on plain http without GPU and workers', CHROME, ['hints', 'graphics', 'worker']],
    [
      'Chromium on a slow machine, where all asynchronous readings are late',
      CHROME,
      ['worker', 'hints', 'permissions', 'partition'],
    ],
    [
      'Firefox that resists fingerprinting, in a frame',
      FIREFOX,
      ['graphics', 'worker', 'permissions', 'painting'],
    ],
    ['Safari in Lockdown Mode, in a frame', SAFARI, ['graphics', 'permissions', 'painting']],
    ['an extension that breaks one reading', CHROME, ['plugins']],
  ])('%s answers enough', (_who, evidence, missing) => {
    expect(isIncompleteUpload(withoutReadings(evidence, missing))).toBe(false);
  });
});

describe('uploads of programs', () => {
  const names = Object.keys(CHROME.readings) as SourceName[];

  test.each([
    ['Chromium', CHROME],
    ['Firefox', FIREFOX],
    ['Safari', SAFARI],
  ])('%s that answers only the sheet is incomplete', (_name, evidence) => {
    const otherNames = names.filter((name) => name !== 'cascade');
    expect(isIncompleteUpload(withoutReadings(evidence, otherNames))).toBe(true);
    // The readings of every browser are not enough without the readings of some browsers.
    const readingsOfSomeBrowsers = [
      ...READINGS_OF_SOME_BROWSERS,
      'permissions',
      'chrome',
      'fonts',
    ] as const;
    expect(isIncompleteUpload(withoutReadings(evidence, readingsOfSomeBrowsers))).toBe(true);
  });

  test('without two readings that every browser gives, an upload is incomplete', () => {
    expect(isIncompleteUpload(withoutReadings(CHROME, ['screen', 'timezone']))).toBe(true);
  });

  test.each(['curl/8.5.0', 'python-requests/2.32', 'x'])(
    '%s claims no browser, so its upload is incomplete',
    (userAgent) => {
      expect(isIncompleteUpload({ ...CHROME, agent: { ...CHROME.agent, userAgent } })).toBe(true);
    },
  );

  test.each([
    'Gecko/',
    'AppleWebKit/',
    'Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko',
  ])('a User-Agent without an engine (%s) has the same limits', (userAgent) => {
    const agent = { ...CHROME.agent, userAgent };
    expect(isIncompleteUpload({ ...CHROME, agent })).toBe(false);
    expect(isIncompleteUpload(withoutReadings({ ...CHROME, agent }, ['screen', 'timezone']))).toBe(
      true,
    );
    expect(
      isIncompleteUpload(withoutReadings({ ...CHROME, agent }, READINGS_OF_SOME_BROWSERS)),
    ).toBe(true);
  });
});
