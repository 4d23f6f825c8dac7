import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { automated, CHROME_ON_WINDOWS, judgePerson } from '../../testing/judge-recordings.ts';

const LINUX = 'chromium-headful-incognito';
const FIREFOX = 'firefox-headful-painted';
const SCREEN = { width: 1920, height: 1080, outerWidth: 1366, outerHeight: 768, innerWidth: 1366 };
const desktopReading = (captionFont: string, points = false) => ({
  desktop: { value: { points, hovers: points, captionFont } },
});
const NO_POINTER: Partial<Readings> = {
  ...desktopReading('16px Arial'),
  screen: { value: { ...SCREEN, innerHeight: 681, scrollBar: 15 } },
};
const graphicsOf = (renderer: string) => ({ graphics: { value: { renderer } } });
const SOFTWARE = graphicsOf(
  'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)',
);

describe('a window with bars, but no pointing device', () => {
  test.each([LINUX, FIREFOX, CHROME_ON_WINDOWS])('pointer_missing: %s', (name) => {
    const readings = { ...NO_POINTER, ...graphicsOf('ANGLE (Intel, Mesa)') };
    expect(judgePerson(name, { readings })).toMatchObject({
      kind: 'doubtful',
      reasons: expect.arrayContaining(['pointer_missing']) as string[],
    });
  });

  test('headless_browser: Chromium that also draws by software', () => {
    const judgement = judgePerson(LINUX, { readings: { ...NO_POINTER, ...SOFTWARE } });
    expect(judgement).toEqual(automated('headless_browser', 'pointer_missing'));
  });

  test('headless_browser: Firefox that also has its built-in caption font', () => {
    const readings = { ...NO_POINTER, ...desktopReading('14px sans-serif') };
    expect(judgePerson(FIREFOX, { readings })).toEqual(
      automated('headless_browser', 'pointer_missing'),
    );
  });

  test.each<[string, string, Partial<Readings>]>([
    [
      'a mouse, with software graphics',
      LINUX,
      { ...desktopReading('16px Arial', true), ...SOFTWARE },
    ],
    [
      'an electronic board without a mouse, in full screen',
      LINUX,
      {
        screen: { value: { ...SCREEN, width: 1366, innerHeight: 768, scrollBar: 15 } },
        ...SOFTWARE,
      },
    ],
    ['a touch screen', LINUX, { hardware: { value: { touchPoints: 5 } }, ...SOFTWARE }],
    ['Firefox that hides its fonts', FIREFOX, desktopReading('14px sans-serif', true)],
    ['a phone', 'chrome-android', SOFTWARE],
    ['a browser without this reading', LINUX, { desktop: { unread: 'failed' }, ...SOFTWARE }],
  ])('no finding: %s', (_who, name, readings) => {
    const judgement = judgePerson(name, { readings: { ...NO_POINTER, ...readings } });
    const reasons = 'reasons' in judgement ? judgement.reasons : [];
    expect(reasons).not.toContain('headless_browser');
    expect(reasons).not.toContain('pointer_missing');
  });
});
