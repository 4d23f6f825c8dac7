import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  HUMAN,
  judgePerson,
  reasonsBesideListener,
  UNLICENSED,
} from '../../testing/judge-recordings.ts';

describe('time_zone_elsewhere: the country of the address does not use the time zone', () => {
  const reasonsFrom = (country: string, zone: string, name = CHROME_ON_WINDOWS) =>
    reasonsBesideListener(name, { country, words: [['"UTC"', `"${zone}"`]], readings: UNLICENSED });
  const WITH_FINDING = ['debugger_attached', 'codecs_mismatch', 'time_zone_elsewhere'];
  const WITHOUT_FINDING = ['debugger_attached', 'codecs_mismatch'];

  test('a traveller passes, because the finding does not change the judgement, either by itself or with one other finding', () => {
    const words = [['"UTC"', '"Asia/Tokyo"']] as const;
    expect(judgePerson(CHROME_ON_WINDOWS, { country: 'DE', words })).toMatchObject(HUMAN);
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, { country: 'DE', words })).toEqual([]);
  });

  test.each([
    ['DE', 'Asia/Tokyo'],
    ['US', 'Europe/Berlin'],
  ])('recorded with other findings: %s and %s', (country, zone) => {
    expect(reasonsFrom(country, zone)).toEqual(WITH_FINDING);
  });

  test.each([
    ['DE', 'Europe/Berlin'],
    ['IN', 'Asia/Kolkata'],
    ['IN', 'Asia/Calcutta'],
    ['AR', 'America/Argentina/Buenos_Aires'],
    ['US', 'US/Pacific'],
    ['DE', 'UTC'],
    ['DE', 'Etc/GMT-1'],
    ['DE', '+01:00'],
    ['DE', 'Mars/Olympus'],
    ['XK', 'Europe/Belgrade'],
    ['', 'Asia/Tokyo'],
  ])('no finding: %s and %s', (country, zone) => {
    expect(reasonsFrom(country, zone)).toEqual(WITHOUT_FINDING);
  });
});
