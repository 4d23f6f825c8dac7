import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { judge } from '../judge.ts';
import { answering, NO_SHEET, USUAL } from '../../testing/answers.ts';
import { fixture, type Fixture } from '../../testing/challenged-visitor.ts';

const TICKET = 'the ticket of these tests';
const PARTITIONS_NOTHING = { partition: { value: { crossed: true } } } as const;

/** A recorded browser with some readings replaced, and some of its words wherever it says them. */
function judged(name: string, readings: Partial<Readings>, from = '', to = '') {
  const text = JSON.stringify(fixture(`human/${name}.json`));
  // The same shape: only words within it were replaced.
  const person = JSON.parse(from === '' ? text : text.replaceAll(from, to)) as Fixture;
  Object.assign(person.evidence.readings, readings);
  const { evidence, headers } = person;
  return judge(
    answering(evidence, TICKET),
    { userAgent: headers['user-agent'] ?? '', headers, country: '', found: [] },
    NO_SHEET,
    USUAL,
  );
}

const AUTOMATED = { kind: 'automated', reasons: ['automation_flags'] };
const HUMAN = { kind: 'human' };
const DESKTOP = 'chromium-headful-incognito';

describe('automation_flags: a frame of another site was heard by the page', () => {
  test('in Chromium, by its own name and by those of Edge and Opera', () => {
    expect(judged(DESKTOP, PARTITIONS_NOTHING)).toEqual(AUTOMATED);
    for (const token of ['Edg/156.0.0.0', 'OPR/140.0.0.0']) {
      const renamed = `Safari/537.36 ${token}`;
      expect(judged(DESKTOP, PARTITIONS_NOTHING, 'Safari/537.36', renamed)).toEqual(AUTOMATED);
    }
  });

  test('no finding where nothing crossed', () => {
    expect(judged(DESKTOP, { partition: { value: { crossed: false } } })).toEqual(HUMAN);
  });

  test.each([
    ['145, the last version with a policy against partitions', '156', '145'],
    ['a version in which it was never measured', '156', '190'],
    ['Electron', 'Safari/537.36', 'Electron/41.0.0 Safari/537.36'],
    ['an application that embeds the engine', ' Chrome/', ' Desk/2.1.0 Chrome/'],
    ['a lesser browser', 'Safari/537.36', 'YaBrowser/26.10.0.0 Safari/537.36'],
  ])('no finding: %s', (_who, from, to) => {
    expect(judged(DESKTOP, PARTITIONS_NOTHING, from, to)).toEqual(HUMAN);
  });

  test.each(['android-webview', 'chrome-android', 'chrome-android-desktop-mode', 'qtwebengine'])(
    'no finding: %s, whose engine may partition nothing',
    (name) => {
      expect(judged(name, PARTITIONS_NOTHING)).toEqual(HUMAN);
    },
  );
});
