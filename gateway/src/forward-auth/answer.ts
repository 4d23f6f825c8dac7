import { randomUUID } from 'node:crypto';
import type { Clock } from '@guard/config/contract/ports';
import { LRUCache } from 'lru-cache';
import type { Peer } from './peers.ts';
import { addOriginFields } from '../forward/proxy-headers.ts';
import type { ForwardPlan } from '../judge/request-plan.ts';
import type { OwnAnswer } from '../message/own-answer.ts';

const EMPTY = Buffer.alloc(0);

/** The reply that lets a request pass. The proxy copies its fields to the origin, and to the origin's answer. */
export function passReply(peer: Peer, plan: ForwardPlan): OwnAnswer {
  const fields: string[] = [];
  addOriginFields(fields, plan);
  fields.push(...fieldsForVisitor(plan));
  return { status: peer.passStatus, fields, body: EMPTY };
}

/** What the visitor gets along with the answer of the origin. Names and values in turn. */
export function fieldsForVisitor({ additions }: ForwardPlan): readonly string[] {
  if (additions === undefined) return [];
  const isOwn = additions.replacedNames.has('cache-control');
  return additions.isPersonal && !isOwn
    ? [...additions.fields, 'Cache-Control', 'private']
    : additions.fields;
}

/** The answer for the visitor. A proxy that cannot show the answer gets an id, with which it fetches the answer. */
export function denial(peer: Peer, answer: OwnAnswer, heldAnswers: HeldAnswers): OwnAnswer {
  switch (peer.denial.kind) {
    case 'fetched':
      return { status: 403, fields: ['X-Guard-Answer', heldAnswers.keep(answer)], body: EMPTY };
    case 'shown':
      return peer.denial.mistakesForPass(answer.status) ? { ...answer, status: 403 } : answer;
  }
}

interface HeldLimits {
  readonly heldAnswers: number;
  /** The limit for the bytes of all held bodies together. A body above this limit is not held. */
  readonly heldBytes: number;
  readonly heldMs: number;
}

/**
 * Answers for visitors, until the proxy that asked fetches them a moment later. Each answer can be fetched once. At the
 * limit the oldest answers are dropped, and their requests are judged again.
 */
export class HeldAnswers {
  readonly #answers: LRUCache<string, OwnAnswer>;

  constructor(clock: Clock, { heldAnswers, heldBytes, heldMs }: HeldLimits) {
    this.#answers = new LRUCache({
      max: heldAnswers,
      maxSize: heldBytes,
      // lru-cache refuses a size of 0.
      sizeCalculation: ({ body }) => Math.max(1, body.length),
      ttl: heldMs,
      // With its default, lru-cache would start a timer so that it reads the time at most once a millisecond.
      ttlResolution: 0,
      perf: { now: clock },
    });
  }

  keep(answer: OwnAnswer): string {
    const id = randomUUID();
    this.#answers.purgeStale();
    this.#answers.set(id, answer);
    return id;
  }

  /** The answer with this id. It can be taken once. Undefined when the answer is unknown or too old. */
  take(id: string): OwnAnswer | undefined {
    const answer = this.#answers.get(id);
    this.#answers.delete(id);
    return answer;
  }
}
