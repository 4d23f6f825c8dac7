import { describe, expect, test } from 'vitest';
import { organisationWith } from '../../../test/kit/product/policies.ts';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../test/kit/visitors/verified-session.ts';
import { visit } from '../../../test/kit/visitors/visitors.ts';
import type { Readings } from '../../page-contract/evidence.ts';
import { answerTicket, writeUpload } from '../challenge/testing/answers.ts';
import { readFixture } from '../challenge/testing/challenged-visitor.ts';

const DATACENTER = { ip: '3.5.140.2' };
const DETECT = '[{ name: everybody, match: {}, detect: true }]';

function guardWith(strengths: Readonly<Record<string, string>>, rules = DETECT) {
  return validatorWith(rules, { organisation: { detection: { reasons: strengths } } });
}

describe('detection.reasons of an organisation, for requests', () => {
  test.each([
    ['off', 'allow', {}],
    ['note', 'allow', { datacenter_ip: 0 }],
    ['weak', 'allow', { datacenter_ip: 1 }],
    ['strong', 'redirect', { datacenter_ip: 2 }],
    ['conclusive', 'block', { datacenter_ip: 6 }],
  ])(
    'with datacenter_ip: %s the decision is %s, and the event has the findings %j',
    async (strength, decision, expectedPoints) => {
      const { ask, events } = guardWith({ datacenter_ip: strength });
      expect((await ask(visit(DATACENTER))).decision).toBe(decision);
      const { findings = [], findingPoints = [] } = events[0] ?? {};
      expect(Object.fromEntries(findings.map((name, at) => [name, findingPoints[at]]))).toEqual(
        expectedPoints,
      );
    },
  );

  test('a conclusive finding blocks even a session that passed', async () => {
    const id = '0f8fad5b-d9cb-869f-a165-70867728950e';
    const { ask, store } = guardWith({ datacenter_ip: 'conclusive' });
    store.keepSession(id, verifiedSession(), 60_000);
    expect((await ask(visit({ cookie: id, ...DATACENTER }))).decision).toBe('block');
  });

  test('another organisation keeps the defaults', async () => {
    const neighbour = organisationWith(DETECT, { id: 'other' });
    const { validator } = validatorWith(DETECT, {
      organisation: { detection: { reasons: { datacenter_ip: 'note' } } },
      neighbour,
    });
    const outcome = await validator.forOrganisation('other')(visit(DATACENTER), {});
    expect(outcome).toMatchObject({ response: { decision: 'redirect' } });
  });
});

describe('a rule with the condition `reason`', () => {
  const RULES = '[{ name: ours, match: { reason: [vpn_ip, datacenter_ip] }, verdict: block }]';

  test('matches only visitors with one of the reasons, even when the finding is a note', async () => {
    const { ask } = guardWith({ datacenter_ip: 'note' }, RULES);
    expect((await ask(visit(DATACENTER))).decision).toBe('block');
    expect((await ask(visit())).decision).toBe('allow');
  });

  test('does not match a reason that is off', async () => {
    const { ask } = guardWith({ datacenter_ip: 'off' }, RULES);
    expect((await ask(visit(DATACENTER))).decision).toBe('allow');
  });
});

/** Makes a browser answer the challenge. Returns the decision on the next request of its session. */
async function decisionAfterAnswer(
  strengths: Readonly<Record<string, string>>,
  readings: Partial<Readings>,
) {
  const rules = '[{ name: everybody, match: {}, detect: true, challenge: always }]';
  const { ask, events, validator } = guardWith(strengths, rules);
  const { headers, evidence } = readFixture('human/chromium-headful-incognito.json');
  const request = visit({ headers });
  const { response_html = '', cookies = [] } = await ask(request);
  const page = Buffer.from(response_html, 'base64').toString();
  const ticket = /data-ticket="([^"]+)"/.exec(page)?.[1] ?? '';
  const session = cookies[0]?.value ?? '';
  const changedEvidence = { ...evidence, readings: { ...evidence.readings, ...readings } };
  await validator.collect({
    method: 'POST',
    path: '/verify',
    headers: { ...headers, 'content-type': 'application/json', host: 'collector.example' },
    body: writeUpload({ ticket, session, evidence: answerTicket(changedEvidence, ticket) }),
    ip: request.ip,
  });
  const { decision, block_reasons } = await ask({ ...request, cookie: session });
  return { decision, block_reasons, events };
}

describe('detection.reasons of an organisation, for uploads', () => {
  const debuggerReadings = { inspector: { value: { stacksFormatted: 1 } } } as const;

  test('a visitor with a weak finding passes, and an event names the finding', async () => {
    const { decision, events } = await decisionAfterAnswer({}, debuggerReadings);
    expect(decision).toBe('allow');
    expect(events.find(({ path }) => path === '/.guard/verify')).toMatchObject({
      action: 'allow',
      findings: ['debugger_attached'],
      findingPoints: [1],
    });
  });

  test('a finding that is set to conclusive rejects', async () => {
    const { decision, block_reasons } = await decisionAfterAnswer(
      { debugger_attached: 'conclusive' },
      debuggerReadings,
    );
    expect(decision).toBe('block');
    expect(block_reasons).toContain('debugger_attached');
  });

  test('a visitor with a conclusive finding passes when it is set to note, and no event names it when it is set to off', async () => {
    const playwrightReadings = { automation: { value: ['__playwright'] } };
    expect((await decisionAfterAnswer({}, playwrightReadings)).decision).toBe('block');
    const noted = await decisionAfterAnswer({ automation_globals: 'note' }, playwrightReadings);
    expect(noted.decision).toBe('allow');
    expect(noted.events.flatMap(({ findings = [] }) => findings)).toContain('automation_globals');
    const off = await decisionAfterAnswer({ automation_globals: 'off' }, playwrightReadings);
    expect(off.decision).toBe('allow');
    expect(off.events.flatMap(({ findings = [] }) => findings)).not.toContain('automation_globals');
  });
});
