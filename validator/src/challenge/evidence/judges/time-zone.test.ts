import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  HUMAN,
  judgedPerson,
  namedBesideAnother,
  UNLICENSED,
} from '../../testing/judged.ts';

describe('time_zone_elsewhere: the time zone does not belong to the country of the address', () => {
  const from = (country: string, zone: string, name = CHROME_ON_WINDOWS) =>
    namedBesideAnother(name, { country, words: [['"UTC"', `"${zone}"`]], readings: UNLICENSED });
  const elsewhere = ['debugger_attached', 'codecs_mismatch', 'time_zone_elsewhere'];
  const athome = ['debugger_attached', 'codecs_mismatch'];

  test('a traveller passes, because the finding changes nothing, alone or with one other', () => {
    const words = [['"UTC"', '"Asia/Tokyo"']] as const;
    expect(judgedPerson(CHROME_ON_WINDOWS, { country: 'DE', words })).toMatchObject(HUMAN);
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { country: 'DE', words })).toEqual([]);
  });

  test.each([
    ['DE', 'Asia/Tokyo'],
    ['US', 'Europe/Berlin'],
  ])('recorded with other findings: %s and %s', (country, zone) => {
    expect(from(country, zone)).toEqual(elsewhere);
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
    expect(from(country, zone)).toEqual(athome);
  });
});
