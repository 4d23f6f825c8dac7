import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { curl, visit } from '../../../test/kit/visitors/visitors.ts';
import { APPLICATIONS } from './applications.ts';

type Asked = readonly [method: string, path: string, headers?: Readonly<Record<string, string>>];

/** What the programs of an application send, and what others ask for. */
const REQUESTS: Readonly<
  Partial<
    Record<keyof typeof APPLICATIONS, { programs: readonly Asked[]; strangers: readonly Asked[] }>
  >
> = {
  redmine: {
    programs: [
      ['GET', '/issues.json', { 'x-redmine-api-key': 'c2649248f507' }],
      ['PUT', '/projects/guard/wiki/Start.xml', { authorization: 'Basic YWRhOng=' }],
      ['POST', '/uploads.json?filename=a.png', { 'x-redmine-api-key': 'c2649248f507' }],
      ['GET', '/redmine/issues.json?key=c2649248f507'],
      ['GET', '/issues.atom?key=c2649248f507'],
      ['POST', '/mail_handler', { 'user-agent': 'Redmine mail handler/0.2.3' }],
      ['GET', '/sys/fetch_changesets?key=x'],
    ],
    strangers: [
      ['GET', '/issues.json'],
      ['GET', '/issues?key=c2649248f507'],
      ['GET', '/issues/1', { 'x-redmine-api-key': 'c2649248f507' }],
      ['GET', '/projects/sys/wiki'],
      ['GET', '/projects/mail_handler'],
    ],
  },
  radicale: {
    programs: [
      ['PROPFIND', '/', { 'user-agent': 'vdirsyncer/0.19.0' }],
      ['PROPFIND', '/.well-known/caldav'],
      ['MKCOL', '/ada/calendar/'],
      ['REPORT', '/ada/calendar/'],
      ['PUT', '/ada/calendar/1.ics'],
      ['GET', '/ada/calendar/1.ics'],
    ],
    strangers: [
      ['GET', '/'],
      ['GET', '/.web'],
      ['GET', '/.web/'],
    ],
  },
};

describe.each(Object.entries(REQUESTS))(
  'behind what guard init writes for %s',
  (name, { programs, strangers }) => {
    const { rules, presets } = APPLICATIONS[name as keyof typeof REQUESTS];
    const lines = [
      ...rules.map(({ line }) => line),
      '{ name: everybody, match: {}, detect: true }',
    ];
    const guard = validatorWith(`[${lines.join(', ')}]`, {
      organisation: { presets: presets.map(({ preset }) => preset) },
    });
    const decisionOn = async (...[method, path, headers]: Asked) => {
      const url = `https://shop.example${path}`;
      return (await guard.ask(visit({ method, url, headers: { ...curl, ...headers } }))).decision;
    };

    test('its programs pass', async () => {
      for (const asked of programs) expect(await decisionOn(...asked), asked[1]).toBe('allow');
    });

    test('other requests of a program do not', async () => {
      for (const asked of strangers) expect(await decisionOn(...asked), asked[1]).not.toBe('allow');
    });
  },
);
