import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { chromeHttps, CHROME_UA, scriptFetch } from '../../../test/kit/visitors/visitors.ts';
import { readLines } from './read-lines.ts';
import {
  changes,
  combined,
  DETECT,
  HOME,
  replay,
  replayJson,
  settings,
  write,
} from './testing/replay-command.ts';

describe('every format describes the same request', () => {
  const utc = '2026-11-21T09:15:30.000Z';
  const nginx = {
    time_iso8601: '2026-11-21T10:15:30+01:00',
    remote_addr: HOME,
    request: 'GET /a?b=1 HTTP/2.0',
    host: 'shop.example',
    http_user_agent: 'curl/8.5.0',
    http_referer: '-',
    status: 200,
  };
  const event = {
    created_at: '2026-11-21 09:15:30.000',
    organisation: 'acme',
    site: 'shop.example',
    action: 'allow',
    decision: 'allow',
    method: 'GET',
    scheme: 'https',
    host: 'shop.example',
    path: '/a',
    query: 'b=1',
    ip: HOME,
    user_agent: 'curl/8.5.0',
    headers: {},
  };
  const request = { request: 'GET /a?b=1 HTTP/1.1', agent: 'curl/8.5.0' };
  test.each([
    ['combined', 'served', combined(request)],
    ['combined with more behind', 'served', combined(request).replace('\n', ' "-" 0.012\n')],
    ['vhost_combined', 'served', combined({ ...request, host: 'shop.example:443' })],
    ['nginx as JSON', 'served', JSON.stringify(nginx)],
    [
      'nginx as JSON, with seconds',
      'served',
      JSON.stringify({ ...nginx, time_iso8601: undefined, msec: '1795252530.000' }),
    ],
    ['an event without headers', 'allow', JSON.stringify(event)],
    ['an absolute URL', 'served', combined({ ...request, request: 'GET http://x/a?b=1 HTTP/1.1' })],
  ])('%s', async (_format, decisionBefore, line) => {
    const result = await replayJson('-c', settings(DETECT), write(line));
    expect([result.judged, result.unreadable, result.from]).toEqual([1, 0, utc]);
    expect(result.groups).toMatchObject([
      {
        before: decisionBefore,
        after: 'challenge',
        rule: 'everybody',
        reasons: ['http_client_user_agent'],
        examples: [{ time: utc, ip: HOME, method: 'GET', user_agent: 'curl/8.5.0' }],
      },
    ]);
    expect(result.groups[0]?.examples[0]?.url).toMatch(/^(shop\.example(:443)?)?\/a\?b=1$/);
  });

  test('an event has its headers, the enforced action, and the state of its session', async () => {
    const line = (overrides: object) =>
      `${JSON.stringify({ ...event, user_agent: CHROME_UA, headers: chromeHttps, ...overrides })}\n`;
    const { 'accept-language': language = '', ...without } = chromeHttps;
    const session = 'a'.repeat(32);
    const log = write(
      line({}) +
        line({ action: 'challenge', headers: without, was: language }) +
        line({ headers: without, challenge: 'verified', session }) +
        line({ challenge: 'rejected', session, block_reasons: ['automation_flags'] }) +
        line({ action: 'allow', decision: 'block' }),
    );
    const result = await replayJson('-c', settings(DETECT), log);
    expect(result.withHeaders).toBe(5);
    expect(
      result.transitions
        .map(({ before, after, requests }) => `${requests} ${before} ${after}`)
        .toSorted(),
    ).toEqual(['1 allow block', '1 challenge challenge', '1 monitored allow', '2 allow allow']);
  });

  test('requests of one second are not treated as if all waited for the origin at the same time', async () => {
    const line = (overrides: object) =>
      `${JSON.stringify({ ...event, user_agent: CHROME_UA, headers: scriptFetch, ...overrides })}\n`;
    const person = { challenge: 'verified', session: 'a'.repeat(32), ip: '84.115.20.8' };
    const page = line({ headers: chromeHttps });
    const result = await replayJson(
      '-c',
      settings(DETECT),
      write(page + line({}).repeat(60) + line(person).repeat(120)),
    );
    expect(result.transitions).toMatchObject([{ before: 'allow', after: 'allow', requests: 181 }]);
  });

  test('a rule for a session matches its requests, whether the session was judged or not', async () => {
    const session = 'a'.repeat(32);
    const line = (overrides: object) => `${JSON.stringify({ ...event, session, ...overrides })}\n`;
    const log = write(
      line({}) +
        line({ session_sent: session }) +
        line({ session_sent: session, challenge: 'verified' }) +
        line({
          session_sent: session,
          challenge: 'rejected',
          block_reasons: ['automation_flags'],
        }) +
        line({ session_sent: 'b'.repeat(32) }),
    );
    const rules = `{ name: caller, match: { any: [{ session: ${session} }] }, verdict: block }`;
    const result = await replayJson('-c', settings(rules), log);
    expect(result.transitions).toEqual([
      { before: 'allow', after: 'block', requests: 3 },
      { before: 'allow', after: 'allow', requests: 2 },
    ]);
  });
});

describe('a replay uses the time of the log', () => {
  const budget = '{ name: budget, match: {}, rate_limit: { requests: 2, per: 1m } }';
  const lineAt = (time: string) => combined({ at: `21/Nov/2026:${time} +0000` });
  const earlyLines = ['10:00:00', '10:00:01', '10:00:02'].map(lineAt).join('');
  const lateLines = ['10:05:00', '10:05:01'].map(lineAt).join('');

  test('a budget is spent and refilled at the times of the log', async () => {
    const result = await replayJson('-c', settings(budget), write(earlyLines + lateLines));
    expect(changes(result)).toEqual([['served', 'limited', ['rate_limit_exceeded'], 1]]);
  });

  test('rotated logs are read in the order of time, also when they are gzipped', async () => {
    const gz = write(gzipSync(earlyLines), '.log.gz');
    const result = await replayJson('-c', settings(budget), write(lateLines), gz);
    expect([result.judged, changes(result)[0]?.[3]]).toEqual([5, 1]);
  });
});

describe('before and after', () => {
  const log = write(
    combined({ agent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' }) +
      combined({ request: 'GET /assets/a.css HTTP/1.1' }) +
      combined({ host: 'other.example' }),
  );

  test('--against compares two settings, and monitor is a separate result', async () => {
    const file = settings('{ name: everybody, match: {}, detect: true, monitor: true }');
    const result = await replayJson('-c', settings(DETECT), '--against', file, log);
    expect(changes(result)).toEqual([['monitored', 'block', ['crawler_impersonator'], 1]]);
    expect(result.transitions).toContainEqual({
      before: 'unprotected',
      after: 'unprotected',
      requests: 1,
    });
    expect(result.transitions).toContainEqual({ before: 'no_site', after: 'no_site', requests: 1 });
  });

  test('observe is treated as off, and a note says this', async () => {
    const result = await replayJson('-c', settings(DETECT, 'observe: true'), log);
    expect(result.groups.map(({ after }) => after)).toContain('block');
    expect(result.notes).toContain('`observe` is on: shown is what would be enforced without it.');
  });

  test('when monitor turns off a block, a challenge remains', async () => {
    const rules = '{ name: strict, match: {}, detect: true, challenge: always, monitor: true }';
    const result = await replayJson('-c', settings(rules), log);
    expect(changes(result)).toContainEqual(['served', 'challenge', ['crawler_impersonator'], 1]);
    const verified = await replayJson('-c', settings(rules), '--session', 'verified', log);
    expect(changes(verified)).toContainEqual(['served', 'monitored', ['crawler_impersonator'], 1]);
  });

  test('the text has a table, examples, and the limits of the replay', async () => {
    const hostileLine = combined({ agent: `curl/8 \\x1b[31m` });
    const { code, stdout } = await replay('-c', settings(DETECT), write(hostileLine));
    expect(code).toBe(0);
    expect(stdout).toContain('1 requests, 2026-11-21T09:15:30.000Z to 2026-11-21T09:15:30.000Z');
    expect(stdout).toContain('in the log → challenge             1  100.00 %');
    expect(stdout).toContain('1 × in the log → challenge, rule everybody: http_client_user_agent');
    expect(stdout).toContain('What this cannot judge');
    expect(stdout).not.toContain('\u001b[31m');
  });
});

describe('lines that cannot be read', () => {
  test('are counted, and the first of them are shown with their line numbers', async () => {
    const bad = [
      ['\\x16\\x03\\x01', combined({ request: '\\x16\\x03\\x01' }), 'no HTTP request'],
      ['words', 'hello\n', 'no address at the beginning'],
      ['time', combined({ at: 'yesterday' }), 'a time that cannot be read'],
      [
        'common format',
        `${HOME} - - [21/Nov/2026:10:15:30 +0100] "GET / HTTP/1.1" 200 1\n`,
        'no User-Agent: the combined format is needed',
      ],
      ['half an object', '{"created_at": \n', 'no JSON'],
    ] as const;
    const log = write(combined() + bad.map(([, line]) => line).join('') + 'more\n');
    const result = await replayJson('-c', settings(DETECT), log);
    expect([result.judged, result.unreadable]).toEqual([1, 6]);
    expect(result.faults).toEqual(
      bad.map(([, , reason], index) => ({ file: log, line: index + 2, reason })),
    );
  });

  test('a log without hosts needs --site when there are several sites', async () => {
    const twoSites = settings(
      DETECT,
      '  - { hosts: [blog.example], organisation: acme, origin: "http://127.0.0.1:3001" }',
    );
    const { code, stderr } = await replay('-c', twoSites, write(combined()));
    expect(code).toBe(1);
    expect(stderr).toContain(
      '.log:1: the request has no host, and there are several sites: give --site HOST',
    );
    const result = await replayJson('-c', twoSites, '--site', 'blog.example', write(combined()));
    expect([result.judged, result.unreadable]).toEqual([1, 0]);
  });

  test('a file that is not a log gives an error and no result', async () => {
    const log = write('hello\n'.repeat(7));
    const { code, stdout, stderr } = await replay('-c', settings(DETECT), log, '--json');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^guard replay: none of 7 lines is a request; /);
    expect(stderr).toContain(`\n  ${log}:1: no address at the beginning\n`);
  });

  test('an empty log causes a message', async () => {
    const { code, stdout } = await replay('-c', settings(DETECT), write(''));
    expect([code, stdout]).toEqual([0, 'No requests: there is nothing to judge.\n']);
  });

  test('a very long line is skipped in bounded memory, and the next line is read', async () => {
    const lines: string[] = [];
    const tooLong: number[] = [];
    const part = Buffer.alloc(100_000, 'x');
    const source = Readable.from(
      (function* parts() {
        yield Buffer.from('first\n');
        for (let i = 0; i < 50; i++) yield part;
        yield Buffer.from('\nlast');
      })(),
    );
    await readLines(
      source,
      {
        line: (text) => lines.push(text),
        tooLong: (number) => tooLong.push(number),
      },
      () => undefined,
    );
    expect([lines, tooLong]).toEqual([['first', 'last'], [2]]);
  });
});

test.each([
  [2, 'name the settings file: --config FILE', []],
  [2, 'name a log, - for standard input, or --from URL', ['-c', 'x']],
  [2, 'give an analytics key in GUARD_ANALYTICS_KEY', ['-c', 'x', '--from', 'http://127.0.0.1:1']],
  [2, '--since takes a duration', ['-c', 'x', '--from', 'http://a', '--key', 'k', '--since', '1']],
  [1, 'no site has the host nobody; there are shop.example', ['--site', 'nobody', 'LOG']],
  [1, '/nowhere/access.log: there is no such file', ['/nowhere/access.log']],
  [1, `${import.meta.dirname}: a folder, not a file`, [import.meta.dirname]],
])('exit code %d: %s', async (code, message, args) => {
  const call = code === 1 ? ['-c', settings(DETECT), ...args] : args;
  const result = await replay(...call);
  expect([result.code, result.stdout]).toEqual([code, '']);
  expect(result.stderr).toContain(message);
});
