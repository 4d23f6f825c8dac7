import { afterEach, describe, expect, test, vi } from 'vitest';
import { chromeHttps, CHROME_UA } from '../../../test/kit/visitors/visitors.ts';
import { changedSettings, settingsOfOrganisation } from '../change/candidate.ts';
import { readChange } from '../change/change.ts';
import { Comparison } from '../judge/comparison.ts';
import { guardYaml, settingsOf } from '../testing/settings-of.ts';
import { createReplay } from './create-replay.ts';
import { type ChangeQuestion, replayChange } from './replay-change.ts';

const BOUNDS = { events: 50_000, ms: 20_000, heapMb: 256 };
const SESSION = '5f1d8ad0c7be46a29165708677289500';
const settings = settingsOf(
  guardYaml(`rules:
  - { name: closed, match: { path: /closed }, verdict: block }
  - { name: everybody, match: {}, detect: true }
`),
);

let statements: string[] = [];
afterEach(() => {
  statements = [];
});

/** An event as one row in the format JSONEachRow. */
function event(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    created_at: '2026-11-21 09:15:30.000',
    request_id: '00000000-0000-7000-8000-000000000000',
    organisation: 'acme',
    site: 'shop.example',
    action: 'allow',
    decision: 'allow',
    method: 'GET',
    scheme: 'https',
    host: 'shop.example',
    path: '/',
    query: '',
    ip: '84.115.20.7',
    user_agent: CHROME_UA,
    session: '',
    session_sent: '',
    challenge: 'none',
    headers: chromeHttps,
    ...overrides,
  };
}
const curl = (overrides = {}) =>
  event({
    user_agent: 'curl/8.5.0',
    headers: { 'user-agent': 'curl/8.5.0', accept: '*/*' },
    ...overrides,
  });

/** A fake of the analytics. It returns these events as one page. */
function askStored(events: readonly object[], count = events.length): ChangeQuestion['ask'] {
  return (sql) => {
    statements.push(sql);
    const lines = events.map((storedEvent) => `${JSON.stringify(storedEvent)}\n`).join('');
    return Promise.resolve(sql.startsWith('SELECT count()') ? `${count}\n` : lines);
  };
}

const EVENTS = [curl(), event({ path: '/closed' }), event()];

function tryOut(change: unknown, overrides: Partial<ChangeQuestion> = {}, bounds = BOUNDS) {
  const signal = new AbortController().signal;
  const ask = askStored(EVENTS);
  const question = { settings, organisation: 'acme', change, ask, signal, ...overrides };
  return replayChange(question, bounds);
}

async function answerFor(...args: Parameters<typeof tryOut>) {
  const outcome = await tryOut(...args);
  if (outcome.kind !== 'replayed') throw new Error(JSON.stringify(outcome));
  return outcome.answer;
}

/**
 * Judges events as the judging process does. The process itself is not used, because it takes half a second to start.
 */
function judgeHere(change: unknown, events: readonly object[] = EVENTS) {
  const against = settingsOfOrganisation(settings, 'acme');
  const [organisation] = against.organisations;
  const reading = organisation && readChange(change, undefined, organisation);
  if (reading?.kind !== 'read') throw new Error(JSON.stringify(reading));
  const candidate = changedSettings(against, reading.change);
  const comparison = new Comparison({ candidate, against, site: undefined, assumeVerified: false });
  for (const storedEvent of events) comparison.take(JSON.stringify(storedEvent), 'events', 1);
  return comparison.report();
}

const LET_NOBODY_IN = { kind: 'allow', match: { path: '/nowhere' } };

describe('the effect of a change', () => {
  test('a rule that allows an address changes only the requests of this address', async () => {
    const ask = askStored([
      curl(),
      curl({ ip: '84.115.20.8' }),
      event({ path: '/closed' }),
      event({ path: '/closed', ip: '84.115.20.8' }),
      event(),
    ]);
    const answer = await answerFor({ kind: 'allow', match: { ip: '84.115.20.8' } }, { ask });
    expect(answer).toMatchObject({
      judged: 5,
      sampled: 1,
      from: '2026-11-21T09:15:30.000Z',
      changed: 2,
      unknown: [],
    });
    expect(answer.groups.map(({ before, after, rule }) => [before, after, rule]).sort()).toEqual([
      ['block', 'allow', 'let in: address 84.115.20.8'],
      ['challenge', 'allow', 'let in: address 84.115.20.8'],
    ]);
    const examples = answer.groups.flatMap((group) => group.examples);
    expect(examples.map(({ ip }) => ip)).toEqual(['84.115.20.8', '84.115.20.8']);
    expect(answer.yaml).toContain('ip: "84.115.20.8"');
  });

  test('a rule that allows a session changes the requests of the session, whether it was judged or not', () => {
    const sentSession = { session: SESSION, session_sent: SESSION };
    const { judged, changed } = judgeHere({ kind: 'allow', match: { session: SESSION } }, [
      curl(sentSession),
      curl({ ...sentSession, challenge: 'rejected', block_reasons: ['automation_flags'] }),
      curl({ session: SESSION }),
      curl(),
    ]);
    expect([judged, changed]).toEqual([4, 2]);
  });

  test('a User-Agent is compared literally, also with a star in it', () => {
    const { groups } = judgeHere({ kind: 'allow', match: { user_agent: 'bot (*)' } }, [
      curl({ user_agent: 'bot (*)', headers: { 'user-agent': 'bot (*)' }, path: '/closed' }),
      curl({ user_agent: 'bot (x)', headers: { 'user-agent': 'bot (x)' }, path: '/closed' }),
    ]);
    expect(groups.flatMap(({ examples }) => examples)).toMatchObject([{ user_agent: 'bot (*)' }]);
  });

  test('when a reason becomes a note, the requests change that were challenged because of it', () => {
    const change = { kind: 'reason', reason: 'http_client_user_agent', strength: 'note' };
    expect(judgeHere(change)).toMatchObject({
      changed: 1,
      groups: [{ before: 'challenge', after: 'allow', rule: 'everybody', requests: 1 }],
    });
  });

  test('when a rule is removed, the requests change that it blocked', () => {
    expect(judgeHere({ kind: 'without_rule', rule: 'closed' })).toMatchObject({
      changed: 1,
      groups: [{ before: 'block', after: 'allow', requests: 1 }],
    });
  });

  test('without events no request changes', async () => {
    expect(await answerFor(LET_NOBODY_IN, { ask: askStored([]) })).toMatchObject({
      judged: 0,
      from: null,
      changed: 0,
      groups: [],
    });
  });
});

describe('the limits of a replay', () => {
  test('above the limit of events, only a sample is read', async () => {
    const bounds = { ...BOUNDS, events: 2 };
    const answer = await answerFor(
      LET_NOBODY_IN,
      { ask: askStored([event(), event(), event()], 5) },
      bounds,
    );
    expect([answer.sampled, answer.judged]).toEqual([3, 2]);
    expect(statements[0]).not.toContain('cityHash64');
    expect(statements[1]).toContain('AND cityHash64(request_id) % 3 = 0');
  });

  test('only one replay runs at a time; after that, the organisation that was refused can replay first', async () => {
    const cancelled = { signal: AbortSignal.abort() };
    const organisations = [{ ...settings.organisations[0], id: 'other' }];
    const asOther = {
      settings: { ...settings, organisations } as typeof settings,
      organisation: 'other',
      ...cancelled,
    };
    const firstReplay = tryOut(LET_NOBODY_IN, cancelled);
    expect(await tryOut(LET_NOBODY_IN)).toEqual({ kind: 'busy' });
    expect(await tryOut(LET_NOBODY_IN, asOther)).toEqual({ kind: 'busy' });
    expect(await firstReplay).toMatchObject({ kind: 'unavailable' });
    expect(await tryOut(LET_NOBODY_IN)).toEqual({ kind: 'busy' });
    expect(await tryOut(LET_NOBODY_IN, asOther)).toMatchObject({ kind: 'unavailable' });
    expect(await tryOut(LET_NOBODY_IN, cancelled)).toMatchObject({ kind: 'unavailable' });
  });

  test('at the time limit the answer covers the events judged so far', async () => {
    const page = Array.from({ length: 500 }, () => event({ path: '/closed' }));
    const firstPage = askStored(page);
    // The second page never comes, so the time limit ends the replay.
    const ask: ChangeQuestion['ask'] = (sql, signal) =>
      statements.length < 2 ? firstPage(sql, signal) : new Promise(() => undefined);
    const answer = await answerFor(LET_NOBODY_IN, { ask }, { ...BOUNDS, ms: 5_000 });
    expect(answer.judged).toBe(500);
  });

  test('at the time limit without a judged event, the message says so', async () => {
    const ask = () => new Promise<string>(() => undefined);
    expect(await tryOut(LET_NOBODY_IN, { ask }, { ...BOUNDS, ms: 100 })).toEqual({
      kind: 'unavailable',
      message: 'No event was judged in 0.1 seconds. Ask for fewer hours.',
    });
  });

  test('a caller who disconnects ends the replay and its running statement', async () => {
    const leaving = new AbortController();
    const onAbort = vi.fn();
    const ask: ChangeQuestion['ask'] = (_sql, signal) => {
      signal.addEventListener('abort', onAbort);
      leaving.abort();
      return new Promise(() => undefined);
    };
    expect(await tryOut(LET_NOBODY_IN, { ask, signal: leaving.signal })).toMatchObject({
      kind: 'unavailable',
    });
    expect(onAbort).toHaveBeenCalledOnce();
  });

  test('when a judging process runs out of memory, only this process ends', async () => {
    expect(await tryOut(LET_NOBODY_IN, {}, { ...BOUNDS, heapMb: 8 })).toEqual({
      kind: 'unavailable',
      message: 'The replay needs more memory than it may have.',
    });
  });
});

test('an invalid question is refused before any event is read', async () => {
  expect(await tryOut({ kind: 'without_rule', rule: 'nobody' })).toMatchObject({ kind: 'refused' });
  expect(await tryOut(LET_NOBODY_IN, { organisation: 'absent' })).toMatchObject({
    kind: 'refused',
  });
  expect(await tryOut(LET_NOBODY_IN, { hours: 0 })).toMatchObject({ kind: 'refused' });
  expect(statements).toEqual([]);
});

test.each([
  [{ kind: 'unavailable', message: 'No database.' }, 'No database.'],
  [{ kind: 'revoked' }, 'The key is no longer valid.'],
] as const)('an outcome without rows becomes a message: %j', async (outcome, message) => {
  const replay = createReplay(
    () => settings,
    () => Promise.resolve(outcome),
  );
  const { signal } = new AbortController();
  expect(await replay({ organisation: 'acme', change: LET_NOBODY_IN, signal })).toEqual({
    kind: 'unavailable',
    message,
  });
});
