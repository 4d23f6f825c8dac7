import { beforeEach, describe, expect, test } from 'vitest';
import { doWork } from '../../validator/src/challenge/work/testing/work.ts';
import { serveValidator, type Served } from '../spec/serve-validator.ts';
import { visit } from '../kit/visitors/visitors.ts';
import { openPage, person, post, taskIn, uploadOf } from './challenged-visitor.ts';

/** These tests check the price of many passes, and the limits of the pass of a doubtful visitor. */

const RULES = '[{ name: all, match: {}, detect: true, challenge: always }]';
const MINUTE_MS = 60_000;

let served: Served;

beforeEach(async () => {
  served = await serveValidator({ rules: RULES });
});

/** The bits of work for a new pass from this address. 0 when no work is needed. */
async function bitsOf(ip: string): Promise<number> {
  const page = await openPage(served, { ip });
  const answer = await post(served, uploadOf(page));
  expect(answer.body).toMatch(/^\{"result":"(?:reload|work)"/);
  return Number.parseInt(taskIn(answer) || '0', 10);
}

/** The bits of work for each of several passes. They come one after the other, within a few minutes. */
async function bitsOfMany(count: number, addressOf: (index: number) => string): Promise<number[]> {
  const bits: number[] = [];
  for (let index = 0; index < count; index += 1) {
    // The uploads come so slowly that their budget is enough.
    served.time.now += 600;
    bits.push(await bitsOf(addressOf(index)));
  }
  return bits;
}

describe('17.2 new passes are counted, and many of them cost memory-hard work', () => {
  test('180 passes from one /24: the first 20 are free, and each time the number of passes doubles, the price of a pass doubles', async () => {
    const bits = await bitsOfMany(180, (index) => `198.51.100.${index}`);
    const freeCount = bits.filter((price) => price === 0).length;
    expect(freeCount).toBeGreaterThanOrEqual(20);
    expect(freeCount).toBeLessThan(26);
    expect([...new Set(bits)].sort()).toEqual([0, 4, 5, 6]);
    expect(await bitsOf('203.0.113.7')).toBe(0);
  });

  test('200 passes from 200 /64s of one /56: 80 are free', async () => {
    const bits = await bitsOfMany(200, (index) => `2001:db8:0:${index.toString(16)}::1`);
    expect(bits.filter((price) => price === 0).length).toBeLessThan(100);
    expect(Math.max(...bits)).toBe(4);
    expect(await bitsOf('2001:db8:1::1')).toBe(0);
  });

  test('after ten minutes without passes the network has the normal price', async () => {
    await bitsOfMany(30, () => '198.51.100.7');
    expect(await bitsOf('198.51.100.8')).toBe(4);
    served.time.now += 10 * MINUTE_MS;
    expect(await bitsOf('198.51.100.9')).toBe(0);
  });

  test('not prevented: one address raises the price for its neighbours in the network; they still pass', async () => {
    await bitsOfMany(30, () => '198.51.100.7');
    const page = await openPage(served, { ip: '198.51.100.200' });
    const task = taskIn(await post(served, uploadOf(page)));
    const answer = await post(served, { ...uploadOf(page), work: doWork(task) });
    expect(answer.body).toBe('{"result":"reload"}');
  });
});

describe('17.2 uploads that are counted as a pass', () => {
  /**
   * Sends an answer without the layout reading, although every browser has this reading, and then the complete answer.
   */
  async function sendIncompleteFirst(ip: string): Promise<void> {
    served.time.now += 600;
    const { evidence, ...upload } = uploadOf(await openPage(served, { ip }));
    const readings = { ...evidence.readings, cascade: { unread: 'failed' } };
    const incomplete = { ...upload, evidence: { ...evidence, readings } };
    expect((await post(served, incomplete)).body).toBe('{"result":"retry"}');
    expect((await post(served, { ...upload, evidence })).body).toBe('{"result":"retry"}');
  }

  test('an incomplete answer spends its ticket, and is counted as a pass of its network', async () => {
    for (let index = 0; index < 10; index += 1) await sendIncompleteFirst('198.51.100.7');
    const bits = await bitsOfMany(13, () => '198.51.100.8');
    expect(bits.slice(0, 8)).toEqual(Array<number>(8).fill(0));
    expect(bits.at(-1)).toBe(4);
    expect(await bitsOf('203.0.113.7')).toBe(0);
  });

  test('one address with wrong answers does not raise the price for its neighbours', async () => {
    for (let index = 0; index < 40; index += 1) await sendIncompleteFirst('198.51.100.7');
    expect(await bitsOf('198.51.100.8')).toBe(0);
  });

  test('one network that does not do its work does not raise the price for other networks', async () => {
    served.time.now += 20 * MINUTE_MS;
    await bitsOfMany(600, () => '198.51.100.7');
    expect(await bitsOf('203.0.113.7')).toBe(0);
  });
});

describe('17.4 a doubt leads to work and to a short pass', () => {
  /**
   * The inner size of the window is exactly the size of the screen. Drivers have such a window, and some people too, so
   * the sign is weak.
   */
  const screen = {
    value: {
      ...{ width: 1280, height: 720 },
      ...{ innerWidth: 1280, innerHeight: 720, outerWidth: 1280, outerHeight: 900, scrollBar: 15 },
    },
  };
  const readings = { ...person.evidence.readings, screen };
  const doubtfulPerson = { ...person, evidence: { ...person.evidence, readings } };
  const ask = (cookie: string) =>
    served.ask(visit({ headers: person.headers, cookie, ip: '198.51.100.7' }));

  async function addDoubt() {
    const page = await openPage(served, { who: doubtfulPerson, ip: '198.51.100.7' });
    const upload = uploadOf(page, doubtfulPerson);
    const answer = await post(served, upload);
    expect(answer.body).toMatch(/^\{"result":"doubt"/);
    return { page, upload, task: taskIn(answer) };
  }

  test('a doubtful visitor gets a task at once, and no block; without work there is no pass', async () => {
    const { page, upload } = await addDoubt();
    expect((await ask(page.session)).decision).toBe('redirect');
    served.time.now += 1_000;
    const wrongWork = { task: `1.${Buffer.alloc(16).toString('base64url')}`, counter: 0 };
    expect((await post(served, { ...upload, work: wrongWork })).body).toBe('{"result":"retry"}');
    expect((await ask(page.session)).decision).toBe('redirect');
  });

  test('after the work the visitor passes for ten minutes, and both uploads are events with their reasons', async () => {
    const { page, upload, task } = await addDoubt();
    const work = doWork(task);
    expect((await post(served, { ...upload, work })).body).toBe('{"result":"reload"}');
    expect(
      served.events
        .filter(({ path }) => path === '/.guard/verify')
        .map(({ action, challenge, blockReasons }) => [action, challenge, blockReasons]),
    ).toEqual([
      ['challenge', 'issued', ['emulated_screen']],
      ['allow', 'verified', ['emulated_screen']],
    ]);
    expect((await ask(page.session)).decision).toBe('allow');
    served.time.now += 10 * MINUTE_MS - 1_000;
    expect((await ask(page.session)).decision).toBe('allow');
    served.time.now += 2_000;
    expect((await ask(page.session)).decision).toBe('redirect');
  });

  test('the ticket of a doubtful visitor is counted as one pass, even after many uploads without work', async () => {
    const { upload } = await addDoubt();
    for (let index = 0; index < 40; index += 1) {
      served.time.now += 260;
      await post(served, upload);
    }
    expect(await bitsOf('198.51.100.8')).toBe(0);
  });

  test('a short pass has a tenth of the budgets: 60 pages in place of 600', async () => {
    const { page, upload, task } = await addDoubt();
    await post(served, { ...upload, work: doWork(task) });
    let pages = 0;
    for (let index = 0; index < 70; index += 1) {
      if ((await ask(page.session)).decision === 'allow') pages += 1;
    }
    expect(pages).toBe(60);
  });

  test('work does not make a recording valid: the same readings pass only once', async () => {
    const firstDoubt = await addDoubt();
    const { evidence } = firstDoubt.upload;
    await post(served, { ...firstDoubt.upload, work: doWork(firstDoubt.task) });
    const secondDoubt = await addDoubt();
    const uploadWithEarlierTime = {
      ...secondDoubt.upload,
      evidence: { ...secondDoubt.upload.evidence, startedAtMs: evidence.startedAtMs },
    };
    served.time.now += 1_000;
    await post(served, { ...uploadWithEarlierTime, work: doWork(secondDoubt.task) });
    expect((await ask(secondDoubt.page.session)).decision).toBe('block');
  });
});
