import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { automated, CHROME_ON_WINDOWS, judgedPerson } from '../../testing/judged.ts';

const LINUX = 'chromium-headful-incognito';
const FIREFOX = 'firefox-headful-painted';
const size = { width: 1920, height: 1080, outerWidth: 1366, outerHeight: 768, innerWidth: 1366 };
const desktop = (captionFont: string, points = false) => ({
  desktop: { value: { points, hovers: points, captionFont } },
});
const POINTLESS: Partial<Readings> = {
  ...desktop('16px Arial'),
  screen: { value: { ...size, innerHeight: 681, scrollBar: 15 } },
};
const drawnBy = (renderer: string) => ({ graphics: { value: { renderer } } });
const SOFTWARE = drawnBy(
  'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)',
);

describe('a window with bars, but no pointing device', () => {
  test.each([LINUX, FIREFOX, CHROME_ON_WINDOWS])('pointer_missing: %s', (name) => {
    const readings = { ...POINTLESS, ...drawnBy('ANGLE (Intel, Mesa)') };
    expect(judgedPerson(name, { readings })).toMatchObject({
      kind: 'doubtful',
      reasons: expect.arrayContaining(['pointer_missing']) as string[],
    });
  });

  test('headless_browser: Chromium, also drawn by software', () => {
    const judgement = judgedPerson(LINUX, { readings: { ...POINTLESS, ...SOFTWARE } });
    expect(judgement).toEqual(automated('headless_browser', 'pointer_missing'));
  });

  test('headless_browser: Firefox, also with its own caption font', () => {
    const readings = { ...POINTLESS, ...desktop('14px sans-serif') };
    expect(judgedPerson(FIREFOX, { readings })).toEqual(
      automated('headless_browser', 'pointer_missing'),
    );
  });

  test.each<[string, string, Partial<Readings>]>([
    ['a mouse, with software graphics', LINUX, { ...desktop('16px Arial', true), ...SOFTWARE }],
    [
      'a board without a mouse, in full screen',
      LINUX,
      { screen: { value: { ...size, width: 1366, innerHeight: 768, scrollBar: 15 } }, ...SOFTWARE },
    ],
    ['a touch screen', LINUX, { hardware: { value: { touchPoints: 5 } }, ...SOFTWARE }],
    ['Firefox that hides its fonts', FIREFOX, desktop('14px sans-serif', true)],
    ['a phone', 'chrome-android', SOFTWARE],
    ['a browser without this reading', LINUX, { desktop: { unread: 'failed' }, ...SOFTWARE }],
  ])('no finding: %s', (_who, name, readings) => {
    const judgement = judgedPerson(name, { readings: { ...POINTLESS, ...readings } });
    const reasons = 'reasons' in judgement ? judgement.reasons : [];
    expect(reasons).not.toContain('headless_browser');
    expect(reasons).not.toContain('pointer_missing');
  });
});
