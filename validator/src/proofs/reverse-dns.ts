import type {
  CatalogueCrawler,
  CrawlerProofs,
  CrawlerStanding,
} from '@guard/config/catalogue/crawlers';
import type { Clock } from '@guard/config/contract/ports';
import { providerNetworkOf, siteNetworkOf } from '@guard/config/net/network-of';
import { LRUCache } from 'lru-cache';
import { lookUpNames, type NameAnswer, type Resolver } from './forward-confirmed.ts';

interface ReverseDnsOptions {
  readonly resolver: Resolver;
  readonly clock: Clock;
  readonly limits?: Partial<ReverseDnsLimits>;
}

export interface ReverseDnsLimits {
  /** Maximum number of answers in memory. Above this number, the least recently used answer is forgotten. */
  readonly maxAnswers: number;
  readonly maxConcurrent: number;
  /** Maximum number of waiting questions. A further question is dropped, and asked when its address comes again. */
  readonly maxQueued: number;
  /**
   * Maximum number of questions about one site's network (/24, /48) that run or wait. The owner of a network can make
   * its name servers slow, and must not block the questions about all crawlers.
   */
  readonly maxOfSite: number;
  /** The same for one provider's network (/16, /32). It can have thousands of site networks. */
  readonly maxOfProvider: number;
  /** Time limit for all look-ups of one question, in milliseconds. */
  readonly timeoutMs: number;
  /** How long each kind of answer is valid, in milliseconds. */
  readonly ttlMs: Readonly<Record<NameAnswer, number>>;
}

const MINUTE_MS = 60_000;

const DEFAULT_LIMITS: ReverseDnsLimits = {
  maxAnswers: 20_000,
  maxConcurrent: 64,
  maxQueued: 256,
  maxOfSite: 8,
  maxOfProvider: 16,
  timeoutMs: 5_000,
  ttlMs: { confirmed: 24 * 60 * MINUTE_MS, denied: 60 * MINUTE_MS, failed: MINUTE_MS },
};

export interface ReverseDns {
  /**
   * Judges a crawler's claim by the host name of its address. `proofs` are those of the crawler, and `ip` is spelled as
   * `parseIp` returns it. Answers at once:
   * a new address is `unverifiable`, and Guard looks up its name for the next request. An address without the right
   * name is an impersonator only when the operator publishes no ranges, but only host names. A failed look-up never
   * makes an impersonator.
   */
  confirm(crawler: CatalogueCrawler, ip: string, proofs: CrawlerProofs): CrawlerStanding;
  /** Resolves when no look-up runs or waits. */
  settled(): Promise<void>;
}

/** An answer of the DNS. It stays valid while Guard looks it up again. */
interface KnownAnswer {
  answer: NameAnswer | undefined;
  validUntil: number;
  pending: boolean;
}

interface Question {
  readonly ip: string;
  readonly reverseDnsDomains: readonly string[];
  readonly known: KnownAnswer;
}

/**
 * Creates forward-confirmed reverse DNS for which no request waits. Memory, questions and time are bounded. A reload
 * keeps the answers.
 */
export function createReverseDns(options: ReverseDnsOptions): ReverseDns {
  const { resolver, clock } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const answers = new LRUCache<string, KnownAnswer>({ max: limits.maxAnswers });
  const queue: Question[] = [];
  /** The number of questions that run or wait, by network. */
  const counts = new Map<string, number>();
  const onSettled: (() => void)[] = [];
  let runningCount = 0;

  function ask(key: string, question: Question): void {
    if (runningCount >= limits.maxConcurrent && queue.length >= limits.maxQueued) return;
    const { ip } = question;
    if ((counts.get(siteNetworkOf(ip)) ?? 0) >= limits.maxOfSite) return;
    if ((counts.get(providerNetworkOf(ip)) ?? 0) >= limits.maxOfProvider) return;
    countQuestion(ip, 1);
    question.known.pending = true;
    answers.set(key, question.known);
    queue.push(question);
    startQueued();
  }

  function startQueued(): void {
    while (runningCount < limits.maxConcurrent) {
      const question = queue.shift();
      if (question === undefined) break;
      runningCount += 1;
      void answerTo(question);
    }
    if (runningCount === 0) for (const resolve of onSettled.splice(0)) resolve();
  }

  async function answerTo({ ip, reverseDnsDomains, known }: Question): Promise<void> {
    known.answer = await lookUpNames(ip, reverseDnsDomains, resolver, limits.timeoutMs);
    known.validUntil = clock() + limits.ttlMs[known.answer];
    known.pending = false;
    runningCount -= 1;
    countQuestion(ip, -1);
    startQueued();
  }

  function countQuestion(ip: string, change: 1 | -1): void {
    for (const network of [siteNetworkOf(ip), providerNetworkOf(ip)]) {
      const count = (counts.get(network) ?? 0) + change;
      if (count > 0) counts.set(network, count);
      else counts.delete(network);
    }
  }

  return {
    confirm(crawler, ip, { reverseDnsDomains, list }) {
      if (reverseDnsDomains.length === 0) return 'unverifiable';
      const key = `${ip} ${crawler.id}`;
      const knownAnswer = answers.get(key) ?? { answer: undefined, validUntil: 0, pending: false };
      if (!knownAnswer.pending && clock() >= knownAnswer.validUntil)
        ask(key, { ip, reverseDnsDomains, known: knownAnswer });
      switch (knownAnswer.answer) {
        case 'confirmed':
          return 'verified';
        case 'denied':
          return list === undefined ? 'impersonator' : 'unverifiable';
        case 'failed':
        case undefined:
          return 'unverifiable';
      }
    },
    settled: () =>
      runningCount === 0 ? Promise.resolve() : new Promise((resolve) => onSettled.push(resolve)),
  };
}
