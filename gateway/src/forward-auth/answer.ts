import type { OwnAnswer } from '../message/own-answer.ts';
import { addOriginFields } from '../forward/proxy-headers.ts';
import type { ForwardPlan } from '../judge/request-plan.ts';
import type { HeldAnswers } from './held-answers.ts';
import type { Peer } from './peers.ts';

const EMPTY = Buffer.alloc(0);

/**
 * The reply that lets a request pass. Its fields are for the origin, and for the answer of the origin.
 */
export function passReply(peer: Peer, plan: ForwardPlan): OwnAnswer {
  const { additions } = plan;
  const fields: string[] = [];
  addOriginFields(fields, plan);
  if (additions !== undefined) {
    fields.push(...additions.fields);
    const isOwn = additions.replaced.has('cache-control');
    if (additions.personal && !isOwn) fields.push('Cache-Control', 'private');
  }
  return { status: peer.passStatus, fields, body: EMPTY };
}

/** The answer for the visitor. A proxy that can show none gets the id to fetch it by. */
export function denial(peer: Peer, answer: OwnAnswer, held: HeldAnswers): OwnAnswer {
  switch (peer.denial.kind) {
    case 'fetched':
      return { status: 403, fields: ['X-Guard-Answer', held.keep(answer)], body: EMPTY };
    case 'shown':
      return peer.denial.mistakesForPass(answer.status) ? { ...answer, status: 403 } : answer;
  }
}
