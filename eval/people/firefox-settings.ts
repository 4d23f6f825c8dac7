import type { DeskSettings } from '../../test/kit/browsers/desk-browsers.ts';
import { COMMON_SCENARIOS, scenariosOf, type UnboundScenario } from './scenario.ts';

const RESIST = { 'privacy.resistFingerprinting': true };

/** The changes of arkenfox's user.js that pages can see. */
const ARKENFOX = {
  ...RESIST,
  'privacy.resistFingerprinting.letterboxing': true,
  'privacy.spoof_english': 2,
  'browser.contentblocking.category': 'strict',
  'privacy.fingerprintingProtection': true,
  'webgl.disabled': true,
  'media.peerconnection.ice.default_address_only': true,
  'dom.security.https_only_mode': false,
  'network.http.referer.XOriginTrimmingPolicy': 2,
  'privacy.clearOnShutdown.cookies': true,
  'javascript.options.asmjs': false,
  'browser.display.use_system_colors': false,
};

const OVERRIDE = 'general.useragent.override';
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
const ON_WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:153.0) Gecko/20100101 Firefox/153.0';

const BROWSERS: Readonly<Record<string, DeskSettings>> = {
  'as it comes': {},
  'resists fingerprinting': { preferences: RESIST },
  'resists fingerprinting, letterboxes, English': {
    preferences: {
      ...RESIST,
      'privacy.resistFingerprinting.letterboxing': true,
      'privacy.spoof_english': 2,
    },
  },
  'strict protection': {
    preferences: {
      'browser.contentblocking.category': 'strict',
      'privacy.trackingprotection.enabled': true,
      'privacy.fingerprintingProtection': true,
      'network.cookie.cookieBehavior': 5,
    },
  },
  arkenfox: { preferences: ARKENFOX },
  'timers of 100 ms': {
    preferences: {
      'privacy.reduceTimerPrecision': true,
      'privacy.resistFingerprinting.reduceTimerPrecision.microseconds': 100_000,
    },
  },
  'no WebGL': { preferences: { 'webgl.disabled': true } },
  'no JIT': {
    preferences: {
      'javascript.options.ion': false,
      'javascript.options.baselinejit': false,
      'javascript.options.wasm': false,
    },
  },
  'dark, zoom 200 %': {
    preferences: { 'ui.systemUsesDarkTheme': 1, 'layout.css.devPixelsPerPx': '2.0' },
  },
  'zoom 50 %': { preferences: { 'layout.css.devPixelsPerPx': '0.5' } },
  'own fonts and colours': {
    preferences: {
      'browser.display.use_document_fonts': 0,
      'browser.display.document_color_use': 2,
    },
  },
  'private window': { switches: ['--private-window'] },
  'Arabic, Kathmandu': {
    preferences: { 'intl.accept_languages': 'ar, en' },
    env: { TZ: 'Asia/Kathmandu' },
  },
  'small window': { switches: ['--width', '450', '--height', '120'] },
  kiosk: { switches: ['--kiosk'] },
  'no workers': { preferences: { 'dom.workers.enabled': false } },
  'no service workers': { preferences: { 'dom.serviceWorkers.enabled': false } },
  'cookies of the session': { preferences: { 'network.cookie.lifetimePolicy': 2 } },
  'no images, no SVG': { preferences: { 'permissions.default.image': 2, 'svg.disabled': true } },
  'screen reader': { preferences: { 'accessibility.force_disabled': -1 } },
  'reduced motion': { preferences: { 'ui.prefersReducedMotion': 1 } },
  'no WebRTC': { preferences: { 'media.peerconnection.enabled': false } },
  'no permissions, no notifications': {
    preferences: {
      'permissions.default.desktop-notification': 2,
      'dom.webnotifications.enabled': false,
    },
  },
  'pop-ups and sound allowed': {
    preferences: { 'dom.disable_open_during_load': false, 'media.autoplay.default': 0 },
  },
  'names itself Chrome': { preferences: { [OVERRIDE]: CHROME } },
  'names itself Firefox on Windows': { preferences: { [OVERRIDE]: ON_WINDOWS } },
};

export const firefoxScenarios = scenariosOf('firefox', [
  ...Object.entries(BROWSERS).map(([name, browserSettings]): UnboundScenario => ({
    name,
    browserSettings,
  })),
  ...COMMON_SCENARIOS,
]);
