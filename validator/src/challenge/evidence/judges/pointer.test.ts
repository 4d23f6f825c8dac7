import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { automated, CHROME_ON_WINDOWS, judgePerson } from '../../testing/judge-recordings.ts';

const LINUX_CHROMIUM = 'chromium-headful-incognito';
const FIREFOX = 'firefox-headful-painted';
const SCREEN = { width: 1920, height: 1080, outerWidth: 1366, outerHeight: 768, innerWidth: 1366 };
const desktopReading = (captionFont: string, hasMouse = false) => ({
  desktop: { value: { points: hasMouse, hovers: hasMouse, captionFont } },
});
const NO_POINTER: Partial<Readings> = {
  ...desktopReading('16px Arial'),
  screen: { value: { ...SCREEN, innerHeight: 681, scrollBar: 15 } },
};
const graphicsOf = (renderer: string) => ({ graphics: { value: { renderer } } });
const SOFTWARE_GRAPHICS = graphicsOf(
  'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)',
);

describe('a window with toolbars, but no pointing device', () => {
  test.each([LINUX_CHROMIUM, FIREFOX, CHROME_ON_WINDOWS])('pointer_missing: %s', (name) => {
    const readings = { ...NO_POINTER, ...graphicsOf('ANGLE (Intel, Mesa)') };
    expect(judgePerson(name, { readings })).toMatchObject({
      kind: 'doubtful',
      reasons: expect.arrayContaining(['pointer_missing']) as string[],
    });
  });

  test('headless_browser: Chromium that also draws by software', () => {
    const judgement = judgePerson(LINUX_CHROMIUM, {
      readings: { ...NO_POINTER, ...SOFTWARE_GRAPHICS },
    });
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
      LINUX_CHROMIUM,
      { ...desktopReading('16px Arial', true), ...SOFTWARE_GRAPHICS },
    ],
    [
      'an electronic board without a mouse, in full screen',
      LINUX_CHROMIUM,
      {
        screen: { value: { ...SCREEN, width: 1366, innerHeight: 768, scrollBar: 15 } },
        ...SOFTWARE_GRAPHICS,
      },
    ],
    [
      'a touch screen',
      LINUX_CHROMIUM,
      { hardware: { value: { touchPoints: 5 } }, ...SOFTWARE_GRAPHICS },
    ],
    [
      'Firefox with resistFingerprinting, which hides its fonts and always reports a mouse',
      FIREFOX,
      desktopReading('14px sans-serif', true),
    ],
    ['a phone', 'chrome-android', SOFTWARE_GRAPHICS],
    [
      'a browser in which the reading failed',
      LINUX_CHROMIUM,
      { desktop: { unread: 'failed' }, ...SOFTWARE_GRAPHICS },
    ],
  ])('no finding: %s', (_who, name, readings) => {
    const judgement = judgePerson(name, { readings: { ...NO_POINTER, ...readings } });
    const reasons = 'reasons' in judgement ? judgement.reasons : [];
    expect(reasons).not.toContain('headless_browser');
    expect(reasons).not.toContain('pointer_missing');
  });
});
