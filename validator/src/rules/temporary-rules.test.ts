import { sessionDigest } from '@guard/config/contract/session-digest';
import {
  canonicalNetwork,
  type DecisionTarget,
  type TemporaryDecision,
} from '@guard/config/settings/derived/temporary-decision';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../test/kit/visitors/verified-session.ts';
import { curl, visit } from '../../../test/kit/visitors/visitors.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 21);
const id = '0f8fad5b-d9cb-869f-a165-70867728950e';
const session = verifiedSession();

const networkTarget = (network: string): DecisionTarget => ({
  kind: 'network',
  network: canonicalNetwork(network),
});

let decisionCount = 0;
function decision(
  verdict: TemporaryDecision['verdict'],
  target: DecisionTarget,
  changes: Partial<TemporaryDecision> = {},
): TemporaryDecision {
  decisionCount += 1;
  return {
    ...{ id: `t${String(decisionCount).padStart(6, '0')}`, organisation: 'acme', verdict, target },
    ...{ because: 'a test', by: 'test@here', madeAt: NOW, until: NOW + HOUR },
    ...changes,
  };
}

const NO_RULES = '[]';
const BLOCK_ALL = '[{ name: closed, match: {}, verdict: block }]';

describe('a temporary decision has priority over the rules of guard.yaml', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9', 'block'],
    ['203.0.113.9', '203.0.113.10', 'allow'],
    ['203.0.113.77/24', '203.0.113.10', 'block'],
    ['203.0.113.0/24', '203.0.114.1', 'allow'],
    ['2001:db8::1', '2001:db8::1', 'block'],
    ['2001:db8::1', '2001:db8::2', 'allow'],
    ['2001:db8:0:1::5/64', '2001:db8:0:1:ffff::9', 'block'],
    ['2001:db8::/33', '2001:db8:8000::1', 'allow'],
    ['::ffff:203.0.113.0/120', '203.0.113.10', 'block'],
    ['203.0.113.9', '::ffff:203.0.113.9', 'block'],
  ])('a block of %s, and a visitor at %s: %s', async (network, ip, expected) => {
    const { ask, temporary } = validatorWith(NO_RULES);
    temporary.replace([decision('block', networkTarget(network))]);
    expect((await ask(visit({ ip }))).decision).toBe(expected);
  });

  test('an allow has priority over a block of a rule, over detection and over the challenge', async () => {
    const { ask, temporary, events } = validatorWith(BLOCK_ALL);
    const allowed = decision('allow', networkTarget('203.0.113.9'));
    temporary.replace([allowed]);
    expect((await ask(visit({ ip: '203.0.113.9', headers: { ...curl } }))).decision).toBe('allow');
    expect(events.at(-1)).toMatchObject({ action: 'allow', rule: `temporary ${allowed.id}` });
    expect((await ask(visit({ ip: '203.0.113.8' }))).decision).toBe('block');
  });

  test('a block of an autonomous system applies only to its addresses', async () => {
    const { ask, temporary } = validatorWith(NO_RULES);
    temporary.replace([decision('block', { kind: 'asn', asn: 15_169 })]);
    expect((await ask(visit({ ip: '8.8.8.8' }))).decision).toBe('block');
    expect((await ask(visit({ ip: '1.1.1.1' }))).decision).toBe('allow');
  });

  test('an allow for a session applies only to the session with the named digest', async () => {
    const { ask, store, temporary } = validatorWith(BLOCK_ALL);
    store.keepSession(id, session, HOUR);
    temporary.replace([decision('allow', { kind: 'session', session: sessionDigest(id) })]);
    expect((await ask(visit({ cookie: id }))).decision).toBe('allow');
    expect((await ask(visit())).decision).toBe('block');
    expect((await ask(visit({ cookie: id.replace(/^0/, '1') }))).decision).toBe('block');
  });

  test('a session has priority over the smallest network, and a network has priority over an autonomous system', async () => {
    const { ask, store, temporary } = validatorWith(NO_RULES);
    store.keepSession(id, session, HOUR);
    const allowSession = decision('allow', { kind: 'session', session: sessionDigest(id) });
    const block24 = decision('block', networkTarget('8.8.8.0/24'));
    const allow28 = decision('allow', networkTarget('8.8.8.0/28'));
    const blockAsn = decision('block', { kind: 'asn', asn: 15_169 });
    temporary.replace([blockAsn, block24, allowSession, allow28]);
    const decisionFrom = async (ip: string, cookie?: string) =>
      (await ask(visit({ ip, ...(cookie && { cookie }) }))).decision;
    expect(await decisionFrom('8.8.8.8')).toBe('allow');
    expect(await decisionFrom('8.8.8.77')).toBe('block');
    expect(await decisionFrom('8.8.4.4')).toBe('block');
    expect(await decisionFrom('8.8.8.77', id)).toBe('allow');
  });
});

describe('the limits of a temporary decision', () => {
  test('a decision does not apply to another organisation', async () => {
    const { ask, temporary } = validatorWith(NO_RULES);
    temporary.replace([decision('block', networkTarget('203.0.113.9'), { organisation: 'rival' })]);
    expect((await ask(visit({ ip: '203.0.113.9' }))).decision).toBe('allow');
  });

  test('a decision ends on time, even when the list is not read again', async () => {
    const { ask, temporary, time } = validatorWith(NO_RULES);
    temporary.replace([
      decision('block', networkTarget('203.0.113.9'), { until: NOW + HOUR }),
      decision('allow', networkTarget('203.0.113.0/24'), { until: NOW + 2 * HOUR }),
    ]);
    const decisionFrom = async () => (await ask(visit({ ip: '203.0.113.9' }))).decision;
    time.now = NOW + HOUR - 1;
    expect(await decisionFrom()).toBe('block');
    time.now = NOW + HOUR;
    expect(await decisionFrom()).toBe('allow');
  });

  test('in monitor mode of the organisation the visitor passes, and the event has the block', async () => {
    const { ask, temporary, events } = validatorWith(NO_RULES, { organisation: { monitor: true } });
    temporary.replace([decision('block', networkTarget('203.0.113.9'))]);
    expect((await ask(visit({ ip: '203.0.113.9' }))).decision).toBe('allow');
    expect(events.at(-1)).toMatchObject({ action: 'allow', decision: 'block', monitor: true });
  });

  test('monitor mode of a rule lifts no temporary block', async () => {
    const { ask, temporary } = validatorWith(
      '[{ name: r, match: {}, detect: true, monitor: true }]',
    );
    temporary.replace([decision('block', networkTarget('203.0.113.9'))]);
    expect((await ask(visit({ ip: '203.0.113.9' }))).decision).toBe('block');
  });
});
