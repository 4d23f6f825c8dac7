import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasons } from '@guard/config/contract/reasons';
import { describe, expect, test } from 'vitest';
import { chromeHttps } from '../../../test/kit/visitors/visitors.ts';
import {
  changes,
  combined,
  DETECT,
  HOME,
  replayJson,
  settings,
  write,
} from './testing/replay-command.ts';

describe('missing data of a log is not evidence', () => {
  test('an access log causes no finding about headers: every known browser passes', async () => {
    const agents = readFileSync(
      join(import.meta.dirname, '../../../config/src/catalogue/fixtures/browser-user-agents.txt'),
      'utf8',
    )
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(agents.length).toBeGreaterThan(100);
    const log = write(agents.map((agent) => combined({ agent })).join(''));
    const result = await replayJson('-c', settings(DETECT), log);
    expect([result.judged, result.unreadable, result.withHeaders]).toEqual([agents.length, 0, 0]);
    const found = result.groups.flatMap((group) => group.reasons);
    const needHeaders = found.filter((reason) => {
      const category = Object.entries(reasons).find(([id]) => id === reason)?.[1].category;
      return category !== 'bot_identity' && !reason.startsWith('agent_');
    });
    expect(needHeaders).toEqual([]);
    expect(result.notes[0]).toBe(
      'The log has no request headers: of detection only User-Agent, crawler and address are judged. With headers there can be more findings, not fewer.',
    );
  });

  test('User-Agent, crawler and address are judged', async () => {
    const log = write(
      combined({ agent: 'curl/8.5.0' }) +
        combined({ agent: '-' }) +
        combined({ agent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' }) +
        combined({ agent: 'Mozilla/5.0 (compatible; Googlebot/2.1)', ip: '66.249.66.1' }),
    );
    expect(changes(await replayJson('-c', settings(DETECT), log))).toEqual([
      ['served', 'challenge', ['http_client_user_agent'], 1],
      ['served', 'challenge', ['user_agent_missing'], 1],
      ['served', 'block', ['crawler_impersonator'], 1],
    ]);
  });

  test('a rule applies only if it matches for every value of an unknown header, and the notes name the rule', async () => {
    const rules = [
      '{ name: keyless, match: { not: { header: { x-key: "?*" } } }, verdict: block }',
      '{ name: no english, match: { header: { accept-language: en } }, verdict: block }',
      '{ name: old, match: { any: [{ path: /old }, { header: { x-old: "1" } }] }, verdict: block, status: 404 }',
      '{ name: budget, match: {}, rate_limit: { requests: 1, per: 1h, by: "header:x-key" } }',
    ];
    const log = write(combined() + combined() + combined({ request: 'GET /old HTTP/1.1' }));
    const result = await replayJson('-c', settings(rules.join(', ')), log);
    expect(result.groups).toMatchObject([{ after: 'block', rule: 'old', requests: 1 }]);
    expect(result.notes.filter((note) => note.includes('asks for'))).toEqual(
      ['rule keyless asks for header x-key', 'rule no english asks for header accept-language']
        .concat('rule old asks for header x-old', 'the budget of rule budget asks for header x-key')
        .map(
          (what) =>
            `${what} (organisation acme), which is not in the log: it counts only where that header makes no difference.`,
        ),
    );
  });

  test('headers that Caddy sorts by name cause no finding about their order, but their values are judged', async () => {
    const caddy = (headers: Readonly<Record<string, string>>) => {
      const sorted = Object.entries(headers).toSorted(([a], [b]) => a.localeCompare(b));
      const texts = Object.fromEntries(sorted.map(([name, value]) => [name, [value]]));
      const request = { client_ip: HOME, method: 'GET', host: 'shop.example', uri: '/', tls: {} };
      return `${JSON.stringify({ ts: 1_795_252_530.5, request: { ...request, headers: texts }, status: 200 })}\n`;
    };
    const { 'accept-language': language = '', ...without } = chromeHttps;
    expect(language).not.toBe('');
    const log = write(caddy(chromeHttps) + caddy(without));
    const result = await replayJson('-c', settings(DETECT), log);
    expect([result.judged, result.withHeaders]).toEqual([2, 2]);
    expect(changes(result)).toEqual([['served', 'challenge', ['header_missing'], 1]]);
  });
});
