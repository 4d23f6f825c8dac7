import type { Match } from '../sections/rule.ts';
import { CAUGHT_LYING } from './caught-lying.ts';

/** Files of RFC 8615, and older ones of that kind: each is made for programs, and a site has one of each. */
export const wellKnown: Match = {
  any: [
    {
      method: ['GET', 'HEAD', 'OPTIONS'],
      path: [
        '/.well-known/**',
        '/robots.txt',
        '/security.txt',
        '/humans.txt',
        '/ads.txt',
        '/app-ads.txt',
        '/favicon.ico',
        '/apple-touch-icon*.png',
        // Browsers fetch a manifest without cookies, so no session can ever cover it.
        '/manifest.json',
        '/manifest.webmanifest',
        '/site.webmanifest',
      ],
    },
    // RFC 6764 6: clients look for the calendar and the address book with PROPFIND.
    { method: ['PROPFIND'], path: ['/.well-known/caldav', '/.well-known/carddav'] },
  ],
  not: CAUGHT_LYING,
};
