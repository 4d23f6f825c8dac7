import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCollector } from '../script/collect-by-path.ts';
import { createSealer } from '../session/sealer.ts';
import { createSessionIds } from '../session/session-id.ts';
import { readAgent } from '../signals/testing/facts.ts';
import { answerEchoPage } from './echo-page.ts';
import { aChallengedVisitor, SECRETS, TERMS } from './testing/challenged-visitor.ts';

test('the policy of the echo page allows only its own script, and caches can share the page between visitors', () => {
  const { status, headers, body } = answerEchoPage({ method: 'GET' });
  const script = /<script>(.*)<\/script>/.exec(String(body))?.[1] ?? '';
  const hash = createHash('sha256').update(script).digest('base64');
  expect(status).toBe(200);
  expect(headers['Content-Security-Policy']).toBe(
    `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  );
  expect(headers['Cache-Control']).toBe('public, max-age=86400');
  expect(script).not.toMatch(/cookie|storage|fetch/i);
});

test('RFC 9110 15.5.6: methods other than GET and HEAD get 405 with Allow', () => {
  expect(answerEchoPage({ method: 'HEAD' }).status).toBe(200);
  const { status, headers } = answerEchoPage({ method: 'POST' });
  expect([status, headers['Allow']]).toEqual([405, 'GET, HEAD']);
});

test('the echo page has the same base path as the upload URL of the challenge page', async () => {
  const { challenge, store, collect: verify, request } = aChallengedVisitor();
  const collect = createCollector({
    verify,
    bundle: { script: '0', work: '0' },
    organisations: [],
    sites: [],
    secrets: SECRETS,
    clock: Date.now,
    termsOf: () => TERMS,
    trapsOf: () => undefined,
    reportTrapHit: () => undefined,
    engine: {
      store,
      ids: createSessionIds(createSealer(SECRETS, 'session')),
      sources: { readAgent },
    },
  });
  expect(challenge.html).toContain('data-upload="/.guard/verify"');
  const answer = await collect({ ...request, method: 'GET', path: '/echo', body: '' });
  expect(answer).toEqual(answerEchoPage({ method: 'GET' }));
});
