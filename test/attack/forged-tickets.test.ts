import { createHmac, randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { visit } from '../kit/visitors/visitors.ts';
import { OTHER_KEY, type Served, serveValidator } from '../spec/serve-validator.ts';
import {
  openPage,
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
 * Uploads that must never create a session. They go to the real listener, so the tests stay valid when the code behind
 * it changes. A title names the vulnerability if another product had this one.
 */

const RULES = '[{ name: r, match: {}, challenge: always }]';
const rules = [{ name: 'r', match: {}, challenge: 'always' }];
const { store, keptSessions } = countedStore();

let served: Served;
let visitor: Challenged;
let neighbour: Challenged;

beforeAll(async () => {
  served = await serveValidator({ store, rules: RULES, neighbour: { rules } });
  visitor = await openPage(served);
  neighbour = await openPage(served, { key: OTHER_KEY });
});

type Result = 'reload' | 'retry' | 'failed' | 'no_session';

/** Sends an upload. Expects this status and result, and that the store keeps no session. */
async function expectRefused(body: unknown, status: number, result: Result, to = served) {
  keptSessions.length = 0;
  const answer = await post(to, body);
  expect([answer.status, answer.body]).toEqual([status, JSON.stringify({ result })]);
  expect(keptSessions).toEqual([]);
}

test('the unchanged upload passes; so the refusals in the next tests have another cause', async () => {
  keptSessions.length = 0;
  const answer = await post(served, uploadOf(await openPage(served)));
  expect([answer.status, answer.body]).toEqual([200, '{"result":"reload"}']);
  expect(keptSessions).toMatchObject([{ session: { state: 'verified', organisation: 'acme' } }]);
});

describe('"difficulty, expiry and organisation come from the ticket, never from the submission"', () => {
  let page: Challenged;
  let task: string;
  let working: Served;

  const taskOf = async (visitorOf: Challenged) => taskIn(await post(working, uploadOf(visitorOf)));

  beforeAll(async () => {
    working = await serveValidator({
      store,
      rules: RULES,
      organisation: { challenge: { work: 5 } },
    });
    page = await openPage(working);
    task = await taskOf(page);
    expect(task).toMatch(/^5\./);
  });

  test.each([
    ['work 0', { work: 0 }],
    ['work null', { work: null }],
    ['work without the task', { work: { counter: 0 } }],
    ['a counter of -1', { work: { task: '5.x', counter: -1 } }],
    ['a counter beyond 32 bits', { work: { task: '5.x', counter: 2 ** 32 } }],
    ['difficulty 0', { difficulty: 0 }],
    ['another algorithm', { algorithm: 'none' }],
    ['another organisation', { organisation: 'globex' }],
    ['a later time of expiry', { expiresAt: 9e15 }],
    ['a verdict of the sender', { verified: true }],
  ])('%s does not pass where work is asked for (CVE-2025-24369)', async (_, workFields) => {
    // The page can come from another version of Guard. A reload brings a page of this version.
    await expectRefused({ ...uploadOf(page), ...workFields }, 400, 'retry', working);
  });

  test('an upload without work, or with work for a foreign, easier or invented task, gives no session and no second task', async () => {
    const other = await taskOf(await openPage(working));
    const inventedTask = `5.${Buffer.alloc(16).toString('base64url')}`;
    keptSessions.length = 0;
    for (const wrongTask of [
      undefined,
      other,
      `1${task.slice(1)}`,
      `0${task.slice(1)}`,
      inventedTask,
    ]) {
      const work = wrongTask === undefined ? {} : { work: { task: wrongTask, counter: 0 } };
      working.time.now += 20_000;
      const { body } = await post(working, { ...uploadOf(page), ...work });
      expect(body, wrongTask).toBe('{"result":"retry"}');
    }
    expect(keptSessions).toEqual([]);
  });

  test('wrong work is checked once and spends the ticket, so correct work comes too late', async () => {
    const [wrong, right] = [doWrongWork(task), doWork(task)];
    await expectRefused({ ...uploadOf(page), work: wrong }, 200, 'failed', working);
    await expectRefused({ ...uploadOf(page), work: right }, 200, 'retry', working);
  });

  test('an upload with correct work passes', async () => {
    const firstPage = await openPage(working);
    keptSessions.length = 0;
    const answer = await post(working, {
      ...uploadOf(firstPage),
      work: doWork(await taskOf(firstPage)),
    });
    expect(answer.body).toBe('{"result":"reload"}');
    expect(keptSessions).toMatchObject([{ session: { state: 'verified', reasons: [] } }]);
  });

  test('a ticket without work does not pass where work is required (in unmask, a cookie of a weaker check was enough)', async () => {
    await expectRefused(uploadOf(visitor), 200, 'retry', working);
  });
});

describe('a ticket of another visitor, another time or another installation', () => {
  test('of another organisation is not valid with a session of this organisation, and a ticket of this organisation is not valid with a session of the other', async () => {
    await expectRefused({ ...uploadOf(neighbour), session: visitor.session }, 200, 'retry');
    await expectRefused({ ...uploadOf(visitor), session: neighbour.session }, 200, 'retry');
  });

  test('a session that passed at one organisation is not valid at another', async () => {
    const otherPage = await openPage(served, { key: OTHER_KEY });
    expect((await post(served, uploadOf(otherPage))).body).toBe('{"result":"reload"}');
    const headers = { ...person.headers };
    expect((await served.ask(visit({ headers, cookie: otherPage.session }))).decision).toBe(
      'redirect',
    );
  });

  test('is refused with the session of another visitor', async () => {
    const other = await openPage(served);
    await expectRefused({ ...uploadOf(visitor), session: other.session }, 200, 'retry');
  });

  test('is refused with another User-Agent than that of the challenge', async () => {
    keptSessions.length = 0;
    const otherBrowser = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Firefox/152.0',
    };
    expect((await post(served, uploadOf(visitor), otherBrowser)).body).toBe('{"result":"retry"}');
    expect(keptSessions).toEqual([]);
  });

  test('is refused after it has expired', async () => {
    served.time.now += 600_000;
    await expectRefused(uploadOf(visitor), 200, 'retry');
    served.time.now -= 600_000;
  });

  test('from the future, after the clock was set back an hour, is refused, and the page reloads', async () => {
    served.time.now -= 3_600_000;
    await expectRefused(uploadOf(visitor), 200, 'retry');
    expect((await post(served, uploadOf(await openPage(served)))).body).toContain('reload');
    served.time.now += 3_600_000;
  });

  test('from the time of older rules is refused, and the current rules decide again (Anubis #1870)', async () => {
    const options = { store, rules: RULES.replace('name: r', 'name: another') };
    const restarted = await serveValidator(options);
    await expectRefused(uploadOf(visitor), 200, 'retry', restarted);
    expect((await post(restarted, uploadOf(await openPage(restarted)))).body).toContain('reload');
  });

  test('of another installation is refused', async () => {
    const { session } = visitor;
    for (const ticket of ['', session, Buffer.alloc(300).toString('base64url')]) {
      await expectRefused({ ...uploadOf(visitor), ticket }, 200, 'failed');
    }
  });
});

describe('a ticket that was changed', () => {
  test('in one bit of any byte is refused', async () => {
    const bytes = Buffer.from(visitor.ticket, 'base64url');
    const firstBit = randomInt(8);
    for (let index = 0; index < bytes.length; index += 1) {
      const changedBytes = Buffer.from(bytes);
      changedBytes[index] = (changedBytes[index] ?? 0) ^ (1 << ((index + firstBit) % 8));
      const ticket = changedBytes.toString('base64url');
      await expectRefused({ ...uploadOf(visitor), ticket }, 200, 'failed');
    }
  });

  test('so that it has a field or the MAC of another real ticket is refused (ALTCHA, CrowdSec: fields without lengths)', async () => {
    const other = await openPage(served);
    const [mine, theirs] = [partsOf(visitor.ticket), partsOf(other.ticket)];
    expect(mine.fields.length).toBe(16);
    const spliced = mine.fields.map((_, index) =>
      mine.fields.with(index, theirs.fields[index] ?? ''),
    );
    const moved = mine.fields.slice(1).map((field, index) => {
      const before = mine.fields[index] ?? '';
      return mine.fields.with(index, before + field.slice(0, 1)).with(index + 1, field.slice(1));
    });
    const forged = [...spliced, ...moved].map((fields) => joinTicket(mine.mac, fields));
    forged.push(joinTicket(theirs.mac, mine.fields), joinTicket(mine.mac, theirs.fields));
    for (const ticket of forged.filter((text) => text !== visitor.ticket)) {
      await expectRefused({ ...uploadOf(visitor), ticket }, 200, 'failed');
    }
  });

  test('in its length is refused', async () => {
    const { ticket } = visitor;
    const lengths = [1, 2, 3, 40, 43, 44, ticket.length - 4, ticket.length - 1];
    const shortened = lengths.map((length) => ticket.slice(0, length));
    const lengthened = ['A', '=', ' ', '\n', '.', 'AAAA', ticket].map((suffix) => ticket + suffix);
    for (const text of [...shortened, ...lengthened]) {
      await expectRefused({ ...uploadOf(visitor), ticket: text }, 200, 'failed');
    }
    await expectRefused({ ...uploadOf(visitor), ticket: ticket.padEnd(2049, 'A') }, 400, 'failed');
  });
});

describe('a ticket that an attacker made', () => {
  test.each([
    ['an empty key', ''],
    ['a key of zeros (in go-away the seed was never drawn)', Buffer.alloc(32)],
    ['the name of the organisation as the key', 'acme'],
  ])('with a MAC made with %s is refused', async (_what, key) => {
    const { fields } = partsOf(visitor.ticket);
    const body = joinTicket(Buffer.alloc(0), fields);
    const bytes = Buffer.from(body, 'base64url');
    for (const sealed of [bytes, Buffer.concat([Buffer.from(`${bytes.length}:`), bytes])]) {
      const mac = createHmac('sha256', key).update(sealed).digest();
      await expectRefused({ ...uploadOf(visitor), ticket: joinTicket(mac, fields) }, 200, 'failed');
    }
  });

  test('without a key, as a token with the algorithm "none", is refused', async () => {
    const claims = [{ alg: 'none' }, { sub: visitor.session, organisation: 'acme' }];
    const parts = claims.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    for (const ticket of [`${parts.join('.')}.`, parts.join('')]) {
      await expectRefused({ ...uploadOf(visitor), ticket }, 200, 'failed');
    }
  });
});

describe('a ticket that was answered', () => {
  test('lets no visitor pass a second time (Anubis before 1.22 accepted it twice)', async () => {
    const first = await openPage(served);
    expect((await post(served, uploadOf(first))).body).toBe('{"result":"reload"}');
    await expectRefused(uploadOf(first), 200, 'retry');
    served.time.now += 599_000;
    await expectRefused(uploadOf(first), 200, 'retry');
    served.time.now -= 599_000;
  });

  test('by an automated browser cannot be answered again, and another ticket of the same session cannot be answered', async () => {
    const first = await openPage(served, { who: robot });
    const second = await openPage(served, { who: robot, cookie: first.session });
    expect(second.ticket).not.toBe(first.ticket);
    const agent = { 'user-agent': robot.headers['user-agent'] ?? '' };
    await post(served, uploadOf(first, robot), agent);
    keptSessions.length = 0;
    for (const ticket of [first, second]) await post(served, uploadOf(ticket), agent);
    expect(keptSessions).toEqual([]);
  });
});

describe('a body that no page sends', () => {
  const bodyWith = (text: string) => text + JSON.stringify(uploadOf(visitor)).slice(1);

  test.each([
    ['a name twice', '{"session":"somebody","ticket":"x",'],
    ['a byte order mark', '\uFEFF{'],
    ['a comment', '/* */{'],
  ])('is refused: %s', async (_what, sendBody) => {
    await expectRefused(bodyWith(sendBody), 400, 'failed');
  });

  // The form can be that of another version of Guard, so the page is told to reload.
  test.each([
    ['__proto__', '{"__proto__":{"verified":true,"ticket":"x"},'],
    ['constructor', '{"constructor":{"prototype":{"verified":true}},'],
    ['a URL for a redirect (Anubis, GHSA-jhjj-2g64-px7c)', '{"redirect":"javascript:alert(1)",'],
    ['a URL for a redirect (Anubis, GHSA-cf57-c578-7jvv)', '{"redir":"//evil.example/",'],
  ])('is refused, even with a valid ticket: %s', async (_what, start) => {
    await expectRefused(bodyWith(start), 400, 'retry');
  });

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/jsonp'],
    ['text/json'],
  ])('with content type %s gets 415, so that no form of another site can send it', async (type) => {
    keptSessions.length = 0;
    expect((await post(served, uploadOf(visitor), { 'content-type': type })).status).toBe(415);
    expect(keptSessions).toEqual([]);
  });

  test('of more than 64 KiB gets 413', async () => {
    keptSessions.length = 0;
    expect((await post(served, ' '.repeat(65_537))).status).toBe(413);
    expect(keptSessions).toEqual([]);
  });
});

/** Returns the MAC and the fields of a ticket. They are not encrypted. */
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

function joinTicket(mac: Buffer, fields: readonly string[]): string {
  const body = fields.map((field) => `${field.length}:${field}`).join('');
  return Buffer.concat([mac, Buffer.from(body, 'latin1')]).toString('base64url');
}
