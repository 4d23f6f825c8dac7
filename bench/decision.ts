/**
 * Measures the cost of one decision in process. It measures a warm visitor, compared with the same work written by
 * hand, and cold cases: a new User-Agent, a challenge, a block. Each case runs in batches, so that the mean does not
 * contain the cost of the timer. For the percentiles, each case runs again with every call timed.
 */
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { DecisionEvent } from '@guard/config/contract/event';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { MemoryStore } from '@guard/validator';
import { ONE_PLAYS_ALL, organisationWith } from '../test/kit/product/policies.ts';
import { curl } from '../test/kit/visitors/visitors.ts';
import { createFloor } from './decision-floor.ts';
import {
  addressOf,
  agentOf,
  RULES,
  type Visitor,
  visitors as makeVisitors,
  VISITORS,
} from './decision-visitors.ts';
import { decideAtOnce, validateFor } from './in-process.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { median } from './measure/rounds.ts';

interface Row {
  readonly name: string;
  /** The median of the means of all batches, in microseconds for each decision. */
  readonly batchUs: number;
  /** Percentiles of single calls. They include the timer's cost of about 0.05 µs. */
  readonly p50Us: number;
  readonly p99Us: number;
  /** The ratio to the floor, for a warm decision. */
  readonly ofFloor: number | undefined;
}

interface Case {
  readonly name: string;
  /** The expected decision of every answer. Another decision is an error, so that the bench measures the right case. */
  readonly decision: string;
  readonly request: (turn: number) => ValidateRequest;
  readonly decide: (request: ValidateRequest) => string;
}

const BATCH = 500;
/**
 * The length of the ring, a power of two. It is small, so that the garbage collector does not move the events of a run
 * to the old generation.
 */
const RING = 16_384;

export function bench(options: BenchOptions): Promise<Report> {
  const people = makeVisitors();
  const cases = casesFor(people);
  const samples = cases.map(() => ({ batchUs: [] as number[], callUs: [] as number[] }));
  // Each visitor sends two requests before the measurement, so that all caches are warm.
  for (const benchCase of cases) run(benchCase, 0, VISITORS * 2);
  for (let round = 1; round <= options.rounds; round++) {
    const order = cases.map((_, index) => index);
    for (const index of round % 2 === 0 ? order.toReversed() : order) {
      const one = cases[index];
      const sample = samples[index];
      if (one === undefined || sample === undefined) continue;
      options.onProgress(`round ${round} of ${options.rounds}: ${one.name}`);
      measure(one, (options.seconds * 1000) / cases.length, sample);
    }
  }
  const floorUs = median(samples[0]?.batchUs ?? []);
  const rows = cases.map(({ name }, index): Row => {
    const { batchUs = [], callUs = [] } = samples[index] ?? {};
    const sortedUs = callUs.toSorted((a, b) => a - b);
    const mean = median(batchUs);
    return {
      name,
      batchUs: mean,
      p50Us: sortedUs[Math.floor(sortedUs.length / 2)] ?? 0,
      p99Us: sortedUs[Math.floor(sortedUs.length * 0.99)] ?? 0,
      ofFloor: index < 2 ? mean / floorUs : undefined,
    };
  });
  return Promise.resolve({ rows, table: tableOf(rows), notes: NOTES });
}

const NOTES = [
  'in one process, without a socket: 20,000 visitors with an address and a verified session each, 2,000 User-Agents, 20 rules, one budget, the bundled tables of networks and countries, and a ring that takes the events',
  'µs/decision: median over batches of 500; p50 and p99: every call timed by itself',
  'the floor is the same work written by hand: bench/decision-floor.ts',
  'targets: warm at most 5 µs at the median, 15 µs at p99 and 3 floors; a new User-Agent at most 60 µs',
];

function casesFor(people: readonly Visitor[]): Case[] {
  const networks = NetworkCatalogue.load();
  const guard = openGuard(people, networks);
  const floor = createFloor(people, networks, new Array(RING).fill(undefined));
  // This step has no common factor with 20,000, so each visitor is reached, and no visitor comes twice in a row.
  const personAt = (turn: number) => requestOf(people, (turn * 7_919) % VISITORS);
  let unseen = 0;
  return [
    {
      name: 'the floor',
      decision: 'allow',
      request: personAt,
      decide: (r) => floor(r, 'shop').decision,
    },
    { name: 'a warm decision', decision: 'allow', request: personAt, decide: guard },
    {
      name: 'a User-Agent never seen',
      decision: 'allow',
      request: (turn) => {
        const person = personAt(turn);
        const headers = { ...person.headers, ...agentOf(1_000_000 + unseen++) };
        return { ...person, headers };
      },
      decide: guard,
    },
    {
      name: 'a challenge',
      decision: 'redirect',
      request: (turn) => ({
        url: 'https://shop.example/products/1',
        ip: addressOf(turn % VISITORS),
        method: 'GET',
        headers: curl,
      }),
      decide: guard,
    },
    {
      name: 'a block',
      decision: 'block',
      request: (turn) => ({ ...personAt(turn), url: 'https://shop.example/api/v1/items' }),
      decide: guard,
    },
  ];
}

function requestOf(people: readonly Visitor[], index: number): ValidateRequest {
  const person = people[index];
  if (person === undefined) throw new Error('no such visitor');
  return person.request;
}

/** The real validator. Its store has every visitor's session, and its events go into a ring. */
function openGuard(
  people: readonly Visitor[],
  networks: NetworkCatalogue,
): (request: ValidateRequest) => string {
  const store = new MemoryStore(Date.now);
  for (const { sessionId, session } of people) store.keepSession(sessionId, session, 86_400_000);
  const ring = new Array<DecisionEvent | undefined>(RING).fill(undefined);
  let recordedEvents = 0;
  const validate = validateFor(organisationWith(RULES, ONE_PLAYS_ALL), { networks, store });
  return (request) => {
    const outcome = decideAtOnce(validate, request);
    if (outcome.kind !== 'answered') return outcome.kind;
    ring[recordedEvents++ & (RING - 1)] = outcome.extras?.event;
    return outcome.response.decision;
  };
}

/** Runs batches and single calls alternately until the time is over. */
function measure(
  one: Case,
  ms: number,
  sample: { readonly batchUs: number[]; readonly callUs: number[] },
): void {
  const endAt = performance.now() + ms;
  for (let turn = 0; performance.now() < endAt; turn += 2 * BATCH) {
    const requests = requestsOf(one, turn, BATCH);
    const startedAt = performance.now();
    for (const request of requests) check(one, one.decide(request));
    sample.batchUs.push(((performance.now() - startedAt) * 1000) / BATCH);
    for (const request of requestsOf(one, turn + BATCH, BATCH)) {
      const calledAt = performance.now();
      const decision = one.decide(request);
      sample.callUs.push((performance.now() - calledAt) * 1000);
      check(one, decision);
    }
  }
}

function run(one: Case, from: number, count: number): void {
  for (const request of requestsOf(one, from, count)) check(one, one.decide(request));
}

/** The requests are made before the clock starts, because a gateway already has them. */
function requestsOf(one: Case, from: number, count: number): ValidateRequest[] {
  return Array.from({ length: count }, (_, index) => one.request(from + index));
}

function check({ name, decision }: Case, answeredDecision: string): void {
  if (answeredDecision !== decision)
    throw new Error(`${name} was answered with ${answeredDecision}`);
}

function tableOf(rows: readonly Row[]): string {
  return toTable(
    ['decision', 'us/decision', 'of the floor', 'p50 us', 'p99 us'],
    rows.map(({ name, batchUs, ofFloor, p50Us, p99Us }) => [
      name,
      batchUs.toFixed(2),
      ofFloor?.toFixed(2) ?? '',
      p50Us.toFixed(2),
      p99Us.toFixed(2),
    ]),
  );
}
