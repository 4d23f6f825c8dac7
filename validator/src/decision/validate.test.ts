import { randomUUID } from 'node:crypto';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { UserAgentCatalogue } from '@guard/config/catalogue/user-agents';
import { VALIDATE } from '@guard/config/contract/limits';
import { Patience } from '@guard/config/time/patience';
import { describe, expect, test } from 'vitest';
import { organisationWith } from '../../../test/kit/product/policies.ts';
import { visit } from '../../../test/kit/visitors/visitors.ts';
import { compilePolicy } from '../policy/compile-policy.ts';
import { createAgentReader } from '../request/agent.ts';
import { TemporaryRules } from '../rules/temporary-rules.ts';
import { MemoryStore } from '../session/memory-store.ts';
import { createSealer } from '../session/sealer.ts';
import { createSessionIds } from '../session/session-id.ts';
import type { Engine } from './engine.ts';
import { validate } from './validate.ts';

const crawlers = CrawlerCatalogue.load();
const ports = { clock: Date.now, log: () => undefined, metrics: { count: () => undefined } };
const caller = { site: '', via: 'api', uploadUrl: '/.guard/verify', ipFrom: 'caller' } as const;

/** An engine with some parts replaced, usually by a broken part. */
function engineWith(changes: Partial<Engine>) {
  const log: string[] = [];
  const engine: Engine = {
    sources: {
      proveClaim: () => 'unverifiable',
      checkSignature: undefined,
      readAgent: createAgentReader(crawlers, UserAgentCatalogue.load()),
      networkOf: () => undefined,
      isListed: () => false,
      countryOf: () => undefined,
      asns: { numberOf: () => 0, nameOf: () => '' },
    },
    store: new MemoryStore(Date.now),
    patience: new Patience(VALIDATE.budgetMs),
    ids: createSessionIds(createSealer(['the secret of the tests'], 'session')),
    issue: () => ({
      html: Buffer.from('<p>'),
      gzip: () => Buffer.of(),
      headers: { 'Content-Type': 'text/html' },
      reference: 'ABCD',
    }),
    issueTrapLink: () => '',
    temporary: new TemporaryRules(Date.now),
    metrics: { count: () => undefined },
    clock: Date.now,
    log: (_level, event) => log.push(event),
    observe: false,
    settingsRevision: '',
    ...changes,
  };
  return { engine, log };
}

const throwBroken = (): never => {
  throw new Error('broken');
};
const brokenIds = {
  mint: throwBroken,
  renewed: throwBroken,
  isOurs: () => false,
  digestOf: String,
  shownChallenge: () => 'none' as const,
};

describe('contract 3: "redirect without response_html: rendering or session encryption failed"', () => {
  const challengePolicy = compilePolicy(
    organisationWith('[{ name: r, match: {}, challenge: always }]'),
    crawlers,
    ports,
  );

  test.each([
    ['rendering', { issue: throwBroken }, 'challenge_not_rendered'],
    ['session encryption', { ids: brokenIds }, 'session_not_sealed'],
  ])(
    '%s: the decision stays redirect, without response_html, and the log has a line',
    async (_what, changes, line) => {
      const { engine, log } = engineWith(changes);
      const validated = await validate(visit(), challengePolicy, caller, engine);
      expect(validated).toMatchObject({ response: { decision: 'redirect', status_code: 403 } });
      expect(validated).toMatchObject({ event: { action: 'challenge' } });
      expect(validated).not.toHaveProperty('response.response_html');
      expect(log).toEqual([line]);
    },
  );

  test('an allowed visitor passes without a session', async () => {
    const { engine, log } = engineWith({ ids: brokenIds });
    const openPolicy = compilePolicy(organisationWith('[]'), crawlers, ports);
    const validated = await validate(visit(), openPolicy, caller, engine);
    expect(validated).toMatchObject({ response: { decision: 'allow' } });
    expect(validated).not.toHaveProperty('response.cookies');
    expect(log).toEqual(['session_not_sealed']);
  });
});

test('2.2 "response_html" is the body in base64, and a caller in the same process gets the body as bytes', async () => {
  const { engine } = engineWith({});
  const blockPolicy = compilePolicy(
    organisationWith('[{ name: r, match: {}, verdict: block }]'),
    crawlers,
    ports,
  );
  const validated = await validate(visit(), blockPolicy, caller, engine);
  if (validated.kind !== 'response') throw new Error('no answer');
  const { response, body } = validated;
  expect(body?.toString()).toContain('<h1');
  expect(JSON.parse(JSON.stringify(response))).toHaveProperty(
    'response_html',
    body?.toString('base64'),
  );
});

describe('the Validate port: "never rejects"', () => {
  test('the decision is synchronous when the store answers synchronously', () => {
    const { engine } = engineWith({});
    const openPolicy = compilePolicy(organisationWith('[]'), crawlers, ports);
    expect(validate(visit(), openPolicy, caller, engine)).toMatchObject({ kind: 'response' });
  });

  test('a source that throws becomes an outcome (contract 7.1 internal_server_error)', () => {
    const { engine, log } = engineWith({});
    const openPolicy = compilePolicy(organisationWith('[]'), crawlers, ports);
    const sources = { ...engine.sources, networkOf: throwBroken };
    expect(validate(visit(), openPolicy, caller, { ...engine, sources })).toEqual({
      kind: 'error',
      type: 'internal_server_error',
    });
    expect(log).toEqual(['validate_failed']);
  });

  test('with no new session for the usual request, the validator is the cause, and the result is no exception', async () => {
    const later = { session: () => Promise.reject(new Error('broken')) };
    for (const changes of [{ sources: { networkOf: throwBroken } }, { store: later }]) {
      const { engine, log } = engineWith({ ids: { ...brokenIds, isOurs: () => true } });
      const sources = { ...engine.sources, ...changes.sources };
      const store = Object.assign(engine.store, changes.store);
      const broken = { ...engine, sources, store };
      const openPolicy = compilePolicy(organisationWith('[]'), crawlers, ports);
      const request = visit({ cookie: randomUUID() });
      expect(await validate(request, openPolicy, caller, broken)).toEqual({
        kind: 'error',
        type: 'internal_server_error',
      });
      expect(log).toEqual(['validate_failed']);
    }
  });

  test('in observe mode nothing is enforced, so a request with a fault is not refused', () => {
    const { engine, log } = engineWith({ observe: true });
    const openPolicy = compilePolicy(organisationWith('[]'), crawlers, ports);
    const networkOf = (ip: string) => (ip === visit().ip ? throwBroken() : undefined);
    const sources = { ...engine.sources, networkOf };
    expect(validate(visit(), openPolicy, caller, { ...engine, sources })).toEqual({
      kind: 'error',
      type: 'internal_server_error',
    });
    expect(log).toEqual(['validate_failed']);
  });
});
