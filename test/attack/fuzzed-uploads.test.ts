import { expect, test } from 'vitest';
import { rounds, seededRandom, type SeededRandom } from '../kit/seeded-random.ts';
import { serveValidator } from '../spec/serve-validator.ts';
import { openPage, post, uploadOf } from './challenged-visitor.ts';
import { countedStore } from './counted-store.ts';

const ROUNDS = rounds(2_000, 20_000);
const AT_ONCE = 20;

const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  '',
  '\u0000',
  '\uD800',
  [],
  {},
  [[]],
  'A'.repeat(3_000),
  '__proto__',
];

/** Changes the ticket, the session or the form of an upload, so that it is not a valid answer. */
function damageText(text: string, random: SeededRandom): string {
  const upload = JSON.parse(text) as Record<string, unknown>;
  const field = random.pick(['ticket', 'session', 'evidence']);
  switch (random.below(8)) {
    case 0:
      return JSON.stringify({ ...upload, [field]: ODD[random.below(ODD.length)] });
    case 1:
      return JSON.stringify({ ...upload, [field]: undefined });
    case 2:
      return JSON.stringify({ ...upload, ticket: changeText(String(upload['ticket']), random) });
    case 3:
      return JSON.stringify({ ...upload, session: changeText(String(upload['session']), random) });
    case 4:
      return JSON.stringify({
        ...upload,
        [`x${random.below(1e6)}`]: ODD[random.below(ODD.length)],
      });
    case 5:
      return text.slice(0, random.below(text.length));
    case 6:
      return text.slice(0, -1) + ',' + text.slice(1, 1 + random.below(text.length));
    default:
      return Array.from({ length: random.below(300) }, () =>
        String.fromCharCode(random.below(0x250)),
      ).join('');
  }
}

/** A text that differs from `text` by one or a few characters. */
function changeText(text: string, random: SeededRandom): string {
  const position = random.below(text.length);
  const digit = text[position] === 'f' ? '0' : 'f';
  switch (random.below(4)) {
    case 0:
      return text.slice(0, position) + text.slice(position + 1);
    case 1:
      return text.slice(0, position) + digit + text.slice(position);
    case 2:
      return text.slice(0, position);
    default:
      return text.slice(0, position) + digit + text.slice(position + 1);
  }
}

test(`${ROUNDS} fuzzed submissions: no submission creates a session or ends the process, and each gets a defined status`, async () => {
  const random = seededRandom();
  console.log(`upload fuzz: GUARD_TEST_SEED=${random.seed}`);
  const { store, keptSessions } = countedStore();
  const rules = '[{ name: r, match: {}, challenge: always }]';
  const served = await serveValidator({ store, rules });
  const visitor = await openPage(served);
  const text = JSON.stringify(uploadOf(visitor));
  const statuses = new Map<number, number>();

  for (let round = 0; round < ROUNDS; round += AT_ONCE) {
    const bodies = Array.from({ length: AT_ONCE }, () => damageText(text, random));
    const answers = await Promise.all(bodies.map((body) => post(served, body)));
    answers.forEach(({ status, body }, i) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect([200, 400], bodies[i]).toContain(status);
      expect(body, bodies[i]).toMatch(/^\{"result":"(?:retry|failed|no_session)"\}$/);
    });
    expect(keptSessions, `seed ${random.seed}, round ${round}`).toEqual([]);
  }

  // Both kinds of refusals occurred, and the ticket is still valid.
  expect([...statuses.keys()].toSorted()).toEqual([200, 400]);
  expect((await post(served, text)).body).toBe('{"result":"reload"}');
}, 300_000);
