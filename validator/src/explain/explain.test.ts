import { describe, expect, test } from 'vitest';
import { type TestValidator, validatorWith } from '../../../test/kit/product/validator.ts';
import { chromeHttps, curl, googlebot, visit } from '../../../test/kit/visitors/visitors.ts';
import type { ExplainQuestion, Explanation } from './explain.ts';

async function explainRequest(
  { validator }: TestValidator,
  request: unknown,
  changes: Partial<ExplainQuestion> = {},
): Promise<Explanation> {
  const question = { body: JSON.stringify(request), site: 'shop.example', ...changes };
  const explained = await validator.explain('acme', question);
  if (explained.kind === 'error') throw new Error(explained.message);
  return explained.explanation;
}

const RULES = `
- { name: office, match: { ip: 203.0.113.0/24 }, verdict: allow }
- { name: budget, match: { path: /login }, rate_limit: { requests: 1, per: 1m } }
- { name: strict, match: { path: /checkout/** }, detect: true, challenge: always }
- { name: rest, match: {}, detect: true }`;

describe('an explanation agrees with the decision', () => {
  test.each([
    ['a browser', visit()],
    ['a script', visit({ headers: { ...curl } })],
    ['an impostor', visit({ headers: { ...googlebot } })],
    ['the office', visit({ ip: '203.0.113.9', headers: { ...curl } })],
    ['the checkout', visit({ url: 'https://shop.example/checkout/' })],
    ['an API client', visit({ headers: { ...curl, accept: 'application/json' } })],
  ])(
    'for %s, the explained verdict and answer are those that the visitor gets',
    async (_, request) => {
      const guard = validatorWith(RULES);
      const { verdict, answer } = await explainRequest(guard, request);
      const visitorAnswer = await guard.ask(request);
      const [event] = guard.events;
      expect(verdict).toMatchObject({
        concluded: event?.decision,
        enforced: event?.action,
        rule: event?.rule,
        reasons: event?.blockReasons,
      });
      expect(answer).toMatchObject({
        decision: visitorAnswer.decision,
        status_code: visitorAnswer.status_code,
        ...(visitorAnswer.block_reasons && { block_reasons: visitorAnswer.block_reasons }),
      });
      expect(Object.keys(answer.headers ?? {})).toEqual(Object.keys(visitorAnswer.headers ?? {}));
      expect(answer.cookies?.length).toBe(visitorAnswer.cookies?.length);
      expect(answer.body_bytes > 0).toBe(visitorAnswer.response_html !== undefined);
    },
  );

  test('it names the rule that set each directive first', async () => {
    const { rules } = await explainRequest(
      validatorWith(RULES),
      visit({ url: 'https://shop.example/checkout/' }),
    );
    expect(rules.map(({ name, matched, decides }) => [name, matched, decides])).toEqual([
      ['office', false, []],
      ['budget', false, []],
      ['strict', true, ['detect', 'challenge']],
      ['rest', true, []],
      ['crawler allowlist', false, []],
    ]);
  });

  test('it lists all findings, even when no rule uses them', async () => {
    const { findings, weighed, verdict } = await explainRequest(
      validatorWith('[]'),
      visit({ headers: { ...googlebot } }),
    );
    expect(findings).toMatchObject([
      { reason: 'crawler_impersonator', strength: 'conclusive', group: 'name' },
    ]);
    expect(weighed).toBe('reject');
    expect(verdict).toMatchObject({ concluded: 'allow', rule: '', reasons: [] });
  });

  test('in observe mode it has the concluded verdict and the enforced action', async () => {
    const guard = validatorWith(RULES, { observe: true });
    const { verdict } = await explainRequest(guard, visit({ headers: { ...googlebot } }));
    expect(verdict).toMatchObject({ concluded: 'block', enforced: 'allow', observe: true });
  });
});

describe('an explanation changes nothing', () => {
  const login = visit({ url: 'https://shop.example/login' });

  test('no event is recorded, and no request is taken from a budget', async () => {
    const guard = validatorWith(RULES);
    for (let i = 0; i < 5; i++) await explainRequest(guard, login);
    expect(guard.events).toEqual([]);
    expect((await guard.ask(login)).rate_limited).toBeUndefined();
    expect((await guard.ask(login)).rate_limited).toBe(true);
  });

  test('it has the time to wait when the question assumes a used-up budget', async () => {
    const guard = validatorWith(RULES);
    const { verdict, answer } = await explainRequest(guard, login, { overBudget: true });
    expect(verdict).toMatchObject({ concluded: 'limited', rule: 'budget' });
    expect(answer).toMatchObject({ rate_limited: true, retry_after: 60 });
  });

  test('a session can be assumed, and is not stored', async () => {
    const guard = validatorWith('[{ name: r, match: { session: verified }, verdict: block }]');
    const { facts, verdict } = await explainRequest(guard, visit(), { session: 'verified' });
    expect(verdict.rule).toBe('r');
    expect(facts.session.state).toBe('verified');
    expect(guard.store.sessionCount).toBe(0);
    const issued = await explainRequest(guard, visit(), { session: 'issued' });
    expect(issued.facts.session.state).toBe('issued');
    expect(issued.verdict.rule).toBe('');
  });
});

test('a body that POST /validate refuses gets the message of POST /validate', async () => {
  const { validator } = validatorWith('[]');
  const explained = await validator.explain('acme', { body: '{"ip":"1.2.3.4"}', site: '' });
  expect(explained).toMatchObject({ kind: 'error', type: 'missing_fields' });
  const headers = { ...chromeHttps };
  for (const url of ['ftp://shop.example/', `https://shop.example${'/%2e'.repeat(3_000)}`]) {
    const body = JSON.stringify({ url, ip: '1.2.3.4', headers });
    const refused = { kind: 'error', type: 'invalid_request' };
    expect(await validator.explain('acme', { body, site: '' }), url).toMatchObject(refused);
  }
});
