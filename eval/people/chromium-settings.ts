import type { DeskSettings } from '../../test/kit/browsers/desk-browsers.ts';
import { EXTENSIONS } from './extensions.ts';
import { COMMON_SCENARIOS, scenariosOf, type UnboundScenario } from './scenario.ts';

/** Chromium stores the zoom as an exponent of 1.2. */
const zoom = (factor: number) => ({
  partition: { default_zoom_level: { x: Math.log(factor) / Math.log(1.2) } },
});

const content = (settings: Readonly<Record<string, number>>) => ({
  profile: { default_content_setting_values: settings },
});

const BROWSERS: Readonly<Record<string, DeskSettings>> = {
  'as it comes': {},
  dark: { switches: ['--force-dark-mode', '--enable-features=WebContentsForceDark'] },
  'high contrast, reduced motion': {
    switches: ['--force-high-contrast', '--force-prefers-reduced-motion'],
  },
  'scale 1.25': { switches: ['--force-device-scale-factor=1.25'] },
  'scale 3': { switches: ['--force-device-scale-factor=3'] },
  'zoom 200 %': { preferences: zoom(2) },
  'zoom 30 %': { preferences: zoom(0.3) },
  'window 400 × 300': { switches: ['--window-size=400,300'] },
  'window 300 × 120': { switches: ['--window-size=300,120'] },
  'window larger than the screen': { switches: ['--window-size=2600,1600'] },
  maximised: { switches: ['--start-maximized'] },
  'full screen': { switches: ['--start-fullscreen'] },
  kiosk: { switches: ['--kiosk'] },
  'scroll bars that lie over': { switches: ['--enable-features=OverlayScrollbar'] },
  'kiosk, scroll bars that lie over': {
    switches: ['--kiosk', '--enable-features=OverlayScrollbar'],
  },
  'window larger than the screen, scroll bars that lie over': {
    switches: ['--window-size=2600,1600', '--enable-features=OverlayScrollbar'],
  },
  'no WebGL': { switches: ['--disable-3d-apis'] },
  'no GPU': { switches: ['--disable-gpu'] },
  'no canvas reading': { switches: ['--disable-reading-from-canvas'] },
  'no JIT': { switches: ['--js-flags=--jitless'] },
  'no shared workers': { switches: ['--disable-shared-workers'] },
  'no client hints': { switches: ['--disable-features=UserAgentClientHint'] },
  'screen reader': { switches: ['--force-renderer-accessibility'] },
  'Arabic, Tokyo': { switches: ['--lang=ar'], env: { LANGUAGE: 'ar', TZ: 'Asia/Tokyo' } },
  'Japanese, Chatham': { switches: ['--lang=ja'], env: { LANGUAGE: 'ja', TZ: 'Pacific/Chatham' } },
  incognito: { switches: ['--incognito'] },
  guest: { switches: ['--guest'] },
  touch: { switches: ['--touch-events=enabled'] },
  'developer tools open': { switches: ['--auto-open-devtools-for-tabs'] },
  'no third-party cookies': {
    preferences: { profile: { block_third_party_cookies: true, cookie_controls_mode: 1 } },
  },
  'cookies of the session': { preferences: content({ cookies: 4 }) },
  'PDF elsewhere': { preferences: { plugins: { always_open_pdf_externally: true } } },
  'letters at least 24 px': { preferences: { webkit: { webprefs: { minimum_font_size: 24 } } } },
  'no notifications': { preferences: content({ notifications: 2 }) },
  'no images, sound, sensors': { preferences: content({ images: 2, sound: 2, sensors: 2 }) },
  'pop-ups allowed': { preferences: content({ popups: 1 }) },
  'do not track': { preferences: { enable_do_not_track: true } },
};

export const chromiumScenarios = scenariosOf('chromium', [
  ...Object.entries(BROWSERS).map(([name, browserSettings]): UnboundScenario => ({
    name,
    browserSettings,
  })),
  { name: 'window of an application', argumentFor: (url) => `--app=${url}` },
  ...EXTENSIONS.map((extension): UnboundScenario => ({
    name: `extension: ${extension}`,
    extension,
    // Chromium does not load an address from the command line while it reads the extension's rules for headers.
    activity: extension.includes('header') ? 'address typed' : undefined,
  })),
  ...COMMON_SCENARIOS,
]);
