import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { CHROME_ON_WINDOWS, judgedPerson } from '../../testing/judged.ts';

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

describe('a window with bars, and nothing to point into it with', () => {
  test.each([LINUX, FIREFOX, CHROME_ON_WINDOWS])('pointer_missing: %s', (name) => {
    const readings = { ...POINTLESS, ...drawnBy('ANGLE (Intel, Mesa)') };
    expect(judgedPerson(name, { readings })).toMatchObject({
      kind: 'doubtful',
      reasons: expect.arrayContaining(['pointer_missing']) as string[],
    });
  });

  test('headless_browser: Chromium that is drawn by software too', () => {
    const judgement = judgedPerson(LINUX, { readings: { ...POINTLESS, ...SOFTWARE } });
    expect(judgement).toEqual({
      kind: 'automated',
      reasons: ['headless_browser', 'pointer_missing'],
    });
  });

  test('headless_browser: Firefox with a font of its own for captions', () => {
    const readings = { ...POINTLESS, ...desktop('14px sans-serif') };
    expect(judgedPerson(FIREFOX, { readings })).toEqual({
      kind: 'automated',
      reasons: ['headless_browser', 'pointer_missing'],
    });
  });

  test.each<[string, string, Partial<Readings>]>([
    [
      'a mouse is there, and software draws',
      LINUX,
      { ...desktop('16px Arial', true), ...SOFTWARE },
    ],
    [
      'a board without a mouse, which fills its screen',
      LINUX,
      { screen: { value: { ...size, width: 1366, innerHeight: 768, scrollBar: 15 } }, ...SOFTWARE },
    ],
    ['a finger', LINUX, { hardware: { value: { touchPoints: 5 } }, ...SOFTWARE }],
    ['Firefox that hides its fonts', FIREFOX, desktop('14px sans-serif', true)],
    ['a phone', 'chrome-android', SOFTWARE],
    ['a browser that does not say', LINUX, { desktop: { unread: 'failed' }, ...SOFTWARE }],
  ])('no finding: %s', (_who, name, readings) => {
    const judgement = judgedPerson(name, { readings: { ...POINTLESS, ...readings } });
    const reasons = 'reasons' in judgement ? judgement.reasons : [];
    expect(reasons).not.toContain('headless_browser');
    expect(reasons).not.toContain('pointer_missing');
  });
});
