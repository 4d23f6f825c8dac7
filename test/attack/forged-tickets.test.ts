import { createHmac, randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { visit } from '../kit/visitors.ts';
import { OTHER_KEY, type Served, serveValidator } from '../spec/serve-validator.ts';
import {
  challenged,
  type Challenged,
  person,
  post,
  robot,
  taskIn,
  uploadOf,
} from './challenged-visitor.ts';
import { doWork, doWrongWork } from '../../validator/src/challenge/work/testing/work.ts';
import { countedStore } from './counted-store.ts';

/**
 * Uploads that must never mint a session, sent to the real listener, so that no rewrite of what is
 * behind it can skip them. What peers were found out by is named at each.
 */

const RULES = '[{ name: r, match: {}, challenge: always }]';
const rules = [{ name: 'r', match: {}, challenge: 'always' }];
const { store, kept } = countedStore();

let served: Served;
let visitor: Challenged;
let neighbour: Challenged;

beforeAll(async () => {
  served = await serveValidator({ store, rules: RULES, neighbour: { rules } });
  visitor = await challenged(served);
  neighbour = await challenged(served, { key: OTHER_KEY });
});

type Result = 'reload' | 'retry' | 'failed' | 'no_session';

/** Sends an upload; the answer must be this one, and nothing may be kept. */
async function expectRefused(body: unknown, status: number, result: Result, to = served) {
  kept.length = 0;
  const answer = await post(to, body);
  expect([answer.status, answer.body]).toEqual([status, JSON.stringify({ result })]);
  expect(kept).toEqual([]);
}

test('the untouched upload passes, or every refusal below would mean nothing', async () => {
  kept.length = 0;
  const answer = await post(served, uploadOf(await challenged(served)));
  expect([answer.status, answer.body]).toEqual([200, '{"result":"reload"}']);
  expect(kept).toMatchObject([{ session: { state: 'verified', organisation: 'acme' } }]);
});

describe('"difficulty, expiry and organisation come from the ticket, never from the submission"', () => {
  let asked: Challenged;
  let task: string;
  let working: Served;

  const taskOf = async (visitorOf: Challenged) => taskIn(await post(working, uploadOf(visitorOf)));

  beforeAll(async () => {
    working = await serveValidator({
      store,
      rules: RULES,
      organisation: { challenge: { work: 5 } },
    });
    asked = await challenged(working);
    task = await taskOf(asked);
    expect(task).toMatch(/^5\./);
  });

  test.each([
    ['work 0', { work: 0 }],
    ['work null', { work: null }],
    ['work without its task', { work: { counter: 0 } }],
    ['a counter of -1', { work: { task: '5.x', counter: -1 } }],
    ['a counter beyond 32 bits', { work: { task: '5.x', counter: 2 ** 32 } }],
    ['difficulty 0', { difficulty: 0 }],
    ['another algorithm', { algorithm: 'none' }],
    ['another organisation', { organisation: 'globex' }],
    ['a later expiry', { expiresAt: 9e15 }],
    ['a verdict of its own', { verified: true }],
  ])('%s does not pass where work is asked for (CVE-2025-24369)', async (_, more) => {
    // Another version's page may have sent it: a reload brings one of this version.
    await expectRefused({ ...uploadOf(asked), ...more }, 400, 'retry', working);
  });

  test('no work, and work of a task that is not its own, easier or invented, give no session and no second task', async () => {
    const other = await taskOf(await challenged(working));
    const invented = `5.${Buffer.alloc(16).toString('base64url')}`;
    kept.length = 0;
    for (const tried of [undefined, other, `1${task.slice(1)}`, `0${task.slice(1)}`, invented]) {
      const work = tried === undefined ? {} : { work: { task: tried, counter: 0 } };
      working.time.now += 20_000;
      const { body } = await post(working, { ...uploadOf(asked), ...work });
      expect(body, tried).toBe('{"result":"retry"}');
    }
    expect(kept).toEqual([]);
  });

  test('wrong work is checked once: it has spent its ticket, and right work comes too late', async () => {
    const [wrong, right] = [doWrongWork(task), doWork(task)];
    await expectRefused({ ...uploadOf(asked), work: wrong }, 200, 'failed', working);
    await expectRefused({ ...uploadOf(asked), work: right }, 200, 'retry', working);
  });

  test('right work passes', async () => {
    const mine = await challenged(working);
    kept.length = 0;
    const answer = await post(working, { ...uploadOf(mine), work: doWork(await taskOf(mine)) });
    expect(answer.body).toBe('{"result":"reload"}');
    expect(kept).toMatchObject([{ session: { state: 'verified', reasons: [] } }]);
  });

  test('a pass for less is none where more is asked for (unmask: a cookie of a weaker gate)', async () => {
    await expectRefused(uploadOf(visitor), 200, 'retry', working);
  });
});

describe('a ticket that was not issued to this visitor, here and now', () => {
  test('of another organisation is no use to a session of this one, nor this one’s session there', async () => {
    await expectRefused({ ...uploadOf(neighbour), session: visitor.session }, 200, 'retry');
    await expectRefused({ ...uploadOf(visitor), session: neighbour.session }, 200, 'retry');
  });

  test('a session that passed at one organisation is none at another', async () => {
    const passed = await challenged(served, { key: OTHER_KEY });
    expect((await post(served, uploadOf(passed))).body).toBe('{"result":"reload"}');
    const headers = { ...person.headers };
    expect((await served.ask(visit({ headers, cookie: passed.session }))).decision).toBe(
      'redirect',
    );
  });

  test('a session of another visitor', async () => {
    const other = await challenged(served);
    await expectRefused({ ...uploadOf(visitor), session: other.session }, 200, 'retry');
  });

  test('another agent than the challenged one', async () => {
    kept.length = 0;
    const stranger = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Firefox/152.0' };
    expect((await post(served, uploadOf(visitor), stranger)).body).toBe('{"result":"failed"}');
    expect(kept).toEqual([]);
  });

  test('expired', async () => {
    served.time.now += 600_000;
    await expectRefused(uploadOf(visitor), 200, 'retry');
    served.time.now -= 600_000;
  });

  test('from the future, because the clock was set back an hour: the page starts afresh', async () => {
    served.time.now -= 3_600_000;
    await expectRefused(uploadOf(visitor), 200, 'retry');
    expect((await post(served, uploadOf(await challenged(served)))).body).toContain('reload');
    served.time.now += 3_600_000;
  });

  test('of an older rule set: the rules of now decide anew (Anubis #1870)', async () => {
    const options = { store, rules: RULES.replace('name: r', 'name: another') };
    const edited = await serveValidator(options);
    await expectRefused(uploadOf(visitor), 200, 'retry', edited);
    expect((await post(edited, uploadOf(await challenged(edited)))).body).toContain('reload');
  });

  test('of another installation', async () => {
    const { session } = visitor;
    for (const ticket of ['', session, Buffer.alloc(300).toString('base64url')]) {
      await expectRefused({ ...uploadOf(visitor), ticket }, 200, 'failed');
    }
  });
});

describe('a ticket that was changed', () => {
  test('in one bit, of every byte', async () => {
    const bytes = Buffer.from(visitor.ticket, 'base64url');
    const seed = randomInt(8);
    for (let at = 0; at < bytes.length; at += 1) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << ((at + seed) % 8));
      const ticket = flipped.toString('base64url');
      await expectRefused({ ...uploadOf(visitor), ticket }, 200, 'failed');
    }
  });

  test('by a field of another real ticket, or by its MAC (ALTCHA, CrowdSec: fields without lengths)', async () => {
    const other = await challenged(served);
    const [mine, theirs] = [partsOf(visitor.ticket), partsOf(other.ticket)];
    expect(mine.fields.length).toBe(16);
    const spliced = mine.fields.map((_, at) => mine.fields.with(at, theirs.fields[at] ?? ''));
    const moved = mine.fields.slice(1).map((field, at) => {
      const before = mine.fields[at] ?? '';
      return mine.fields.with(at, before + field.slice(0, 1)).with(at + 1, field.slice(1));
    });
    const forged = [...spliced, ...moved].map((fields) => joined(mine.mac, fields));
    forged.push(joined(theirs.mac, mine.fields), joined(mine.mac, theirs.fields));
    for (const ticket of forged.filter((text) => text !== visitor.ticket)) {
      await expectRefused({ ...uploadOf(visitor), ticket }, 200, 'failed');
    }
  });

  test('in its length', async () => {
    const { ticket } = visitor;
    const lengths = [1, 2, 3, 40, 43, 44, ticket.length - 4, ticket.length - 1];
    const cut = lengths.map((length) => ticket.slice(0, length));
    const longer = ['A', '=', ' ', '\n', '.', 'AAAA', ticket].map((more) => ticket + more);
    for (const text of [...cut, ...longer]) {
      await expectRefused({ ...uploadOf(visitor), ticket: text }, 200, 'failed');
    }
    await expectRefused({ ...uploadOf(visitor), ticket: ticket.padEnd(2049, 'A') }, 400, 'failed');
  });
});

describe('a ticket of one’s own making', () => {
  test.each([
    ['an empty key', ''],
    ['a key of zeros (go-away: seed never drawn)', Buffer.alloc(32)],
    ['the organisation as the key', 'acme'],
  ])('under %s', async (_what, key) => {
    const { fields } = partsOf(visitor.ticket);
    const body = joined(Buffer.alloc(0), fields);
    const bytes = Buffer.from(body, 'base64url');
    for (const sealed of [bytes, Buffer.concat([Buffer.from(`${bytes.length}:`), bytes])]) {
      const mac = createHmac('sha256', key).update(sealed).digest();
      await expectRefused({ ...uploadOf(visitor), ticket: joined(mac, fields) }, 200, 'failed');
    }
  });

  test('without any: a token that names no algorithm', async () => {
    const claims = [{ alg: 'none' }, { sub: visitor.session, organisation: 'acme' }];
    const parts = claims.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    for (const ticket of [`${parts.join('.')}.`, parts.join('')]) {
      await expectRefused({ ...uploadOf(visitor), ticket }, 200, 'failed');
    }
  });
});

describe('a ticket that was answered', () => {
  test('passes no visitor a second time, however late (Anubis before 1.22: double spend)', async () => {
    const first = await challenged(served);
    expect((await post(served, uploadOf(first))).body).toBe('{"result":"reload"}');
    await expectRefused(uploadOf(first), 200, 'retry');
    served.time.now += 599_000;
    await expectRefused(uploadOf(first), 200, 'retry');
    served.time.now -= 599_000;
  });

  test('by a robot cannot be answered by a person, nor can another ticket of that session', async () => {
    const first = await challenged(served, { who: robot });
    const second = await challenged(served, { who: robot, cookie: first.session });
    expect(second.ticket).not.toBe(first.ticket);
    const agent = { 'user-agent': robot.headers['user-agent'] ?? '' };
    await post(served, uploadOf(first, robot), agent);
    kept.length = 0;
    for (const ticket of [first, second]) await post(served, uploadOf(ticket), agent);
    expect(kept).toEqual([]);
  });
});

describe('a body in no form a page sends', () => {
  const bodyWith = (text: string) => text + JSON.stringify(uploadOf(visitor)).slice(1);

  test.each([
    ['a name twice', '{"session":"somebody","ticket":"x",'],
    ['a byte order mark', '\uFEFF{'],
    ['a comment', '/* */{'],
  ])('%s', async (_what, start) => {
    await expectRefused(bodyWith(start), 400, 'failed');
  });

  // It may be the form of another version, so the page is asked to reload.
  test.each([
    ['__proto__', '{"__proto__":{"verified":true,"ticket":"x"},'],
    ['constructor', '{"constructor":{"prototype":{"verified":true}},'],
    ['a place to go to (Anubis, GHSA-jhjj-2g64-px7c)', '{"redirect":"javascript:alert(1)",'],
    ['a place to go to (Anubis, GHSA-cf57-c578-7jvv)', '{"redir":"//evil.example/",'],
  ])('%s, with a ticket of ours', async (_what, start) => {
    await expectRefused(bodyWith(start), 400, 'retry');
  });

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/jsonp'],
    ['text/json'],
  ])('content type %s: 415, so that no form of another site can send it', async (type) => {
    kept.length = 0;
    expect((await post(served, uploadOf(visitor), { 'content-type': type })).status).toBe(415);
    expect(kept).toEqual([]);
  });

  test('more than 64 KiB: 413', async () => {
    kept.length = 0;
    expect((await post(served, ' '.repeat(65_537))).status).toBe(413);
    expect(kept).toEqual([]);
  });
});

/** A ticket's MAC and fields, as anybody can read them. */
function partsOf(ticket: string): { readonly mac: Buffer; readonly fields: string[] } {
  const bytes = Buffer.from(ticket, 'base64url');
  const fields: string[] = [];
  for (let rest = bytes.toString('latin1', 32); rest !== '';) {
    const length = Number.parseInt(rest, 10);
    const start = rest.indexOf(':') + 1;
    fields.push(rest.slice(start, start + length));
    rest = rest.slice(start + length);
  }
  return { mac: bytes.subarray(0, 32), fields };
}

function joined(mac: Buffer, fields: readonly string[]): string {
  const body = fields.map((field) => `${field.length}:${field}`).join('');
  return Buffer.concat([mac, Buffer.from(body, 'latin1')]).toString('base64url');
}
