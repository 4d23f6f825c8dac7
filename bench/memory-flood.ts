/**
 * The process that bench/memory.ts measures: one validator, and visitors who each come only once. It prints a JSON line
 * after each phase.
 */
import type { Session } from '@guard/config/contract/ports';
import { hashUserAgent, MemoryStore } from '@guard/validator';
import { setTimeout as sleep } from 'node:timers/promises';
import { ONE_PLAYS_ALL, organisationWith } from '../test/kit/product/policies.ts';
import { addressOf, agentOf, ORGANISATION, RULES } from './decision-visitors.ts';
import { decideAtOnce, validateFor } from './in-process.ts';

const [visitorCount = '10000000', decisionCount = '500000'] = process.argv.slice(2);
const store = new MemoryStore(Date.now);
const validate = validateFor(organisationWith(RULES, ONE_PLAYS_ALL), { store });
const budget = { requests: 10, perMs: 60_000 };

await report('started', 0);
// The number of visitors. It is far above the size of the tables. So at the end each table is full, and its entries
// have been replaced.
visit(0, 1_500_000);
await report('every table full, and replaced', 1_500_000);
visit(1_500_000, Number(visitorCount));
await report('sessions, tickets and budgets that never came before', Number(visitorCount));
decide(Number(decisionCount));
await report('and whole decisions about visitors that never came before', Number(decisionCount));

/** Stores the data of a visitor who passes a challenge: a spent ticket, a session, a budget. */
function visit(from: number, to: number): void {
  for (let number = from; number < to; number += 1) {
    const id = `${number.toString(16).padStart(8, '0')}-d9cb-869f-8165-70867728950e`;
    const session: Session = {
      organisation: ORGANISATION,
      state: 'verified',
      reasons: [],
      userAgentHash: hashUserAgent(`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${number}`),
      network: `84.${(number >> 8) & 255}.${number & 255}.0/24`,
      client: 'https 8daaf6152771g masp',
      judgedAt: number,
      newest: id,
      newestAt: number,
    };
    store.keepSession(id, session, 86_400_000);
    store.spend(id, 600_000);
    store.take(`${ORGANISATION} everyone's budget`, id, budget);
  }
}

function decide(count: number): void {
  for (let number = 0; number < count; number += 1) {
    const url = `https://shop.example/products/${number}`;
    decideAtOnce(validate, { url, ip: addressOf(number), headers: agentOf(number) });
  }
}

/** Prints the memory after a garbage collection. */
async function report(phase: string, count: number): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await sleep(50);
  }
  const { rss, heapUsed } = process.memoryUsage();
  const [rssMiB, heapMiB] = [rss / 1024 ** 2, heapUsed / 1024 ** 2];
  console.log(JSON.stringify({ phase, count, sessions: store.sessionCount, heapMiB, rssMiB }));
}
