import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { QueryOutcome } from '@guard/config/contract/ports';
import { Alerts } from '@guard/config/settings/sections/alerts';
import { MemoryStore } from '@guard/validator';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestListener } from 'node:http';
import { poll } from '../../../test/kit/http.ts';
import { serve } from '../../../test/kit/serve.ts';
import { organisationWith } from '../../../test/kit/product/policies.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { sendAlert } from './send-alert.ts';
import { watchAlerts } from './watch-alerts.ts';

const NOW = Date.UTC(2026, 10, 25, 12);
const folder = testFolder();

/** A real receiver of each kind, and the messages that it got. */
const postedAlerts: { alert: string; text: string; about: string }[] = [];
/** The number of further posts that the webhook refuses. */
let refusals = 0;
const receiveAlert: RequestListener = (request, response) => {
  void readAll(request).then((body) => {
    const isRefused = refusals > 0 || request.url === '/refuses';
    refusals = Math.max(0, refusals - 1);
    if (isRefused) response.writeHead(500);
    else postedAlerts.push(JSON.parse(body) as (typeof postedAlerts)[number]);
    response.end();
  });
};
const mails: string[] = [];
const mailServer = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  onAuth: ({ username, password }, _session, done) => {
    const isRight = username === 'guard' && password === 'mail password 77';
    done(isRight ? null : new Error('no'), isRight ? { user: 'guard' } : undefined);
  },
  onData: (stream, _session, done) => {
    void readAll(stream).then((mail) => {
      mails.push(mail);
      done();
    });
  },
});
let webhookUrl = '';
let mailUrl = '';

beforeAll(async () => {
  webhookUrl = await serve(receiveAlert, afterAll);
  const listening = mailServer.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  mailUrl = `smtp://guard:mail%20password%2077@127.0.0.1:${port}`;
});
afterAll(async () => {
  await new Promise<void>((resolve) => {
    mailServer.close(resolve);
  });
});

const ALERT = { name: 'origin_down', about: '', seen: '12 of 20 requests got no answer.' } as const;

describe('an alert goes to a webhook, a mail server and a program', () => {
  test('each receiver gets the alert', async () => {
    const file = join(folder, 'got');
    const program = join(folder, 'pager');
    writeFileSync(program, `#!/bin/sh\n{ echo "$1"; env; cat; } > "${file}"\n`);
    chmodSync(program, 0o755);
    const settings = Alerts.parse({
      webhook: webhookUrl,
      mail: { server: mailUrl, from: 'guard@shop.example', to: 'you@shop.example' },
      command: [program, 'urgent'],
    });
    process.env['A_SECRET_OF_GUARD'] = 'a secret 4471';
    const results = await sendAlert(ALERT, settings, NOW);
    delete process.env['A_SECRET_OF_GUARD'];
    expect(results).toEqual([
      { channel: 'webhook', fault: undefined },
      { channel: 'mail', fault: undefined },
      { channel: 'command', fault: undefined },
    ]);
    expect(postedAlerts.at(-1)).toMatchObject({
      ...{ alert: 'origin_down', at: '2026-11-25T12:00:00.000Z' },
      text: expect.stringMatching(/^Guard on \S+: The site does not answer\. 12 of 20/) as string,
    });
    expect(mails.at(-1)).toMatch(/^To: you@shop\.example\r?$/m);
    expect(mails.at(-1)).toMatch(/^Subject: Guard on \S+: The site does not answer\r?$/m);
    const printed = readFileSync(file, 'utf8');
    expect(printed).toMatch(/^urgent\n/);
    expect(printed).toContain('"alert":"origin_down"');
    expect(printed).not.toContain('a secret 4471');
  });

  test('each failed receiver is reported with a code, and without the secrets of its URL', async () => {
    const settings = Alerts.parse({
      webhook: `${webhookUrl}/refuses`,
      mail: {
        server: 'smtp://guard:mail-password-77@127.0.0.1:1',
        from: 'a@b.example',
        to: 'c@d.example',
      },
      command: ['/nonexistent/pager'],
    });
    const results = await sendAlert(ALERT, settings, NOW);
    expect(results).toEqual([
      { channel: 'webhook', fault: 'HTTP 500' },
      { channel: 'mail', fault: 'ESOCKET' },
      { channel: 'command', fault: 'ENOENT' },
    ]);
  });

  test('settings without a channel, with a wrong address or with another scheme are refused', () => {
    for (const wrongChannels of [
      {},
      { cool_down: '1h' },
      { webhook: 'ftp://a.example' },
      { mail: { server: 'http://mail.example', from: 'a@b.example', to: 'c@d.example' } },
      { mail: { server: 'smtp://mail.example', from: 'nobody', to: 'c@d.example' } },
      { command: [] },
    ]) {
      expect(Alerts.safeParse(wrongChannels).success, JSON.stringify(wrongChannels)).toBe(false);
    }
  });
});

describe('alerts while Guard runs', () => {
  const rows = (data: unknown): QueryOutcome => ({
    kind: 'rows',
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify({ data })),
  });

  /** Watches real metrics with short pauses. The clock moves only when a test moves it. */
  function startWatch(
    overrides: {
      readonly blocks?: unknown;
      readonly repeatRows?: unknown;
      readonly organisations?: readonly string[];
    } = {},
  ) {
    const statements: string[] = [];
    const time = { now: NOW };
    const metrics = createMetrics();
    let isGood = 1;
    metrics.gauge('guard_last_reload_successful', () => isGood);
    const logLines: string[] = [];
    const close = watchAlerts({
      clock: () => time.now,
      log: (_level, event) => logLines.push(event),
      metrics,
      settings: () => ({
        alerts: Alerts.parse({ webhook: webhookUrl, cool_down: '1h' }),
        analytics: undefined,
        organisations: (overrides.organisations ?? ['acme']).map((id) =>
          organisationWith('[]', { id }),
        ),
      }),
      runQuery: ({ organisation, sql }) => {
        const isBlocks = sql.includes('GROUP BY rule');
        if (isBlocks) statements.push(organisation);
        const isAboutRepeats = sql.includes('windowFunnel');
        return Promise.resolve(
          rows((isBlocks ? overrides.blocks : isAboutRepeats && overrides.repeatRows) || []),
        );
      },
      store: new MemoryStore(() => time.now, { maxSessions: 1, maxSpent: 1, maxBudgets: 100 }),
      pauses: { metricsMs: 5, eventsMs: 1000, comparedMs: 60_000 },
    });
    postedAlerts.length = 0;
    return {
      time,
      metrics,
      logged: logLines,
      asked: statements,
      close,
      refuse: () => (isGood = 0),
    };
  }
  const untilThereAre = (count: number, list: readonly unknown[] = postedAlerts) =>
    poll(
      () => Promise.resolve(list),
      ({ length }) => length >= count,
    );

  test('a condition is reported once in its cool-down, and again after it', async () => {
    const { time, logged, close, refuse } = startWatch();
    refuse();
    await untilThereAre(1);
    time.now += 3_700_000;
    await untilThereAre(2);
    await close();
    expect(postedAlerts.map(({ alert }) => alert)).toEqual(['reload_refused', 'reload_refused']);
    expect(logged).toEqual(['alert', 'alert']);
  });

  test('a jump in the blocks of a rule, and repeated challenges after a pass, are reported', async () => {
    const { time, close } = startWatch({
      blocks: [['no training', '120', 4]],
      repeatRows: [['100', '30']],
    });
    time.now += 2_000;
    await untilThereAre(2);
    await close();
    expect(postedAlerts.map(({ alert, about }) => [alert, about])).toEqual([
      ['blocks_jump', 'acme no training'],
      ['challenged_again', 'acme'],
    ]);
    expect(postedAlerts[1]?.text).toContain('30 of 100 visitors of acme who passed');
  });

  test('an alert is sent again until a channel accepts it, and is then not sent again', async () => {
    const { logged, close, refuse } = startWatch();
    refusals = 2;
    refuse();
    await untilThereAre(1);
    await close();
    expect(postedAlerts.map(({ alert }) => alert)).toEqual(['reload_refused']);
    expect(logged).toEqual(['alert', 'alert_unsent']);
  });

  test('each check reads the events of the next organisation, so that each one is read once in the period', async () => {
    const { time, asked, close } = startWatch({ organisations: ['a', 'b', 'c'] });
    for (let turn = 1; turn <= 6; turn += 1) {
      time.now += 334; // The time until the next of three organisations is checked.
      await untilThereAre(turn, asked);
    }
    await close();
    expect(asked).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  test('after the clock was set back, the next check reads the events', async () => {
    const { time, asked, close } = startWatch();
    time.now -= 3_600_000;
    await untilThereAre(1, asked);
    await close();
  });

  test('few repeated challenges among many visitors cause no alert', async () => {
    const { time, close, refuse } = startWatch({ repeatRows: [['1000', '20']] });
    refuse();
    time.now += 2_000;
    await untilThereAre(1);
    await close();
    expect(postedAlerts.map(({ alert }) => alert)).toEqual(['reload_refused']);
  });
});
