import { mintRequestId } from '@guard/config/contract/request-id';
import { expect, test } from 'vitest';
import { type CommandResult, runCommand } from '../testing/run-command.ts';
import { serve } from '../../../test/kit/serve.ts';

/**
 * These cases are hard to make with a real deployment. test/flow/doctor.test.ts and doctor-address.test.ts have the
 * other cases.
 */

const doctor = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand('doctor', ...args);

/** The line of one check. */
async function line(url: string, check: string, ...options: readonly string[]): Promise<string> {
  const { stdout } = await doctor(url, '--timeout', '5', ...options);
  const checkLine = stdout.split('\n').find((one) => one.slice(13).startsWith(check));
  return checkLine?.replace(/ {2,}/g, ' | ') ?? '';
}

test.each([
  [0, 'ok'],
  [-20_000, 'warning'],
  [-90_000, 'PROBLEM'],
  [90_000, 'PROBLEM'],
])('the id of a denied request shows a clock that is wrong by %d ms: %s', async (offMs, state) => {
  const url = await serve((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/problem+json', age: '0' });
    const request_id = mintRequestId(Date.now() + offMs);
    response.end(JSON.stringify({ code: 'challenge_required', request_id }));
  });
  expect(await line(url, 'clock')).toMatch(new RegExp(`^${state} \\| clock \\| Guard's clock`));
});

test('without a denied request, the Date field is compared (RFC 9110 6.6.1)', async () => {
  const url = await serve((_request, response) => {
    response.sendDate = false;
    response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
    response.end('a page');
  });
  expect(await line(url, 'clock')).toMatch(
    /^PROBLEM \| clock \| the front's clock is 3[56]\d\d\.\d s behind/,
  );
});

test('an unknown host gets 421, and the advice names the setting', async () => {
  const url = await serve((_request, response) => response.writeHead(421).end());
  const { code, stdout } = await doctor(url);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /PROBLEM +site +421: Guard serves no site 127\.0\.0\.1:\d+\n.*\n +Add the name to hosts/,
  );
});

test('a site that does not answer is one problem, and no check is ok', async () => {
  const { code, stdout } = await doctor('http://127.0.0.1:1/');
  expect(code).toBe(1);
  expect(stdout).toContain('no answer from http://127.0.0.1:1/: ECONNREFUSED');
  expect(stdout).toContain('1 problem, 0 warnings, 0 ok, 19 not checked.');
});

test.each([
  ['guard_analytics_failing', /^PROBLEM \| database \| the analytics database does not start/],
  ['guard_analytics_deletion_held', /^warning \| database \| old events are not deleted/],
  ['', /^ok \| database \| /],
])('the database check uses the metrics: %s', async (metric, expected) => {
  const names = ['guard_analytics_failing', 'guard_analytics_deletion_held'];
  const samples = names.map((name) => `${name} ${name === metric ? 1 : 0}\n`);
  const admin = await serve((_request, response) =>
    response.end(`guard_settings_age_seconds 1\n${samples.join('')}`),
  );
  const url = await serve((_request, response) => response.end('a page'));
  expect(await line(url, 'database', '--admin', admin)).toMatch(expected);
});

test.each([
  [
    2,
    3,
    /^ok \| lists \| crawler lists 2 days old, countries 3 days old, autonomous systems 3 days old, network lists 3 days old/,
  ],
  [46, 3, /^warning \| lists \| crawler lists 46 days old/],
  [2, 46, /^warning \| lists \| .* countries 46 days old/],
])(
  'lists of %d days and network data of %d days: a warning comes from 45 days on',
  async (lists, networks, expected) => {
    const metrics = `guard_settings_age_seconds 1
guard_crawler_ranges_age_seconds ${lists * 86_400}
${['lists', 'country', 'asn'].map((data) => `guard_network_data_age_seconds{data="${data}"} ${networks * 86_400}`).join('\n')}
`;
    const admin = await serve((_request, response) => response.end(metrics));
    const url = await serve((_request, response) => response.end('a page'));
    expect(await line(url, 'lists', '--admin', admin)).toMatch(expected);
  },
);

test('a request to a server that never answers ends at the time limit', async () => {
  const url = await serve(() => undefined);
  const { code, stdout } = await doctor(url, '--timeout', '0.2');
  expect(code).toBe(1);
  expect(stdout).toContain('no whole answer within 0.2 s');
});

test('redirects are followed with the cookies that they set', async () => {
  const url = await serve((request, response) => {
    if (request.headers.cookie === undefined) {
      response.writeHead(302, { location: '/', 'set-cookie': 'seen=1; Path=/' }).end();
    } else response.end('a page');
  });
  expect(await line(`${url}/`, 'reached')).toMatch(/^ok \| reached \| answers 200 after/);
});

test('doctor stops after ten redirects', async () => {
  const url = await serve((request, response) =>
    response.writeHead(302, { location: `${request.url ?? ''}x` }).end(),
  );
  expect(await line(`${url}/`, 'reached')).toMatch(/more than ten redirects/);
});

test('an endless body is read up to a limit', async () => {
  const url = await serve((_request, response) => {
    const sendMore = () => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', sendMore);
    sendMore();
  });
  expect(await line(url, 'reached')).toMatch(/^ok \| reached \| answers 200/);
});

test('control codes in the headers of a server do not reach the terminal', async () => {
  const url = await serve((_request, response) => {
    response.setHeader('via', '1.1 \u009b31mred');
    response.setHeader('x-cache', 'HIT');
    response.end(`<html data-ticket="x"><script src="\u001b[2J">`);
  });
  const { stdout } = await doctor(url);
  expect(stdout).toMatch(/via: 1\.1 .?\\u009b31mred/);
  expect(stdout).not.toMatch(/[\u0080-\u009f\u001b]/);
});

test.each([
  [[]],
  [['shop.example']],
  [['ftp://shop.example/']],
  [['http://a.example/', 'http://b.example/']],
  [['http://a.example/', '--timeout', 'soon']],
  [['http://a.example/', '--ip', 'mine']],
  [['http://a.example/', '--api', 'here']],
])('refuses the arguments %j with exit code 2', async (args) => {
  const { code, stdout, stderr } = await doctor(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^guard doctor: .+\nguard doctor --help shows the usage\.\n$/);
});
