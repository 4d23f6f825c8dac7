import type { OwnAnswer } from '../message/own-answer.ts';
import { addOriginFields } from '../forward/proxy-headers.ts';
import type { ForwardPlan } from '../judge/request-plan.ts';
import type { HeldAnswers } from './held-answers.ts';
import type { Peer } from './peers.ts';

const EMPTY = Buffer.alloc(0);

/** Leave to pass: what the origin is to be told, and what the validator wants on its answer. */
export function leave(peer: Peer, plan: ForwardPlan): OwnAnswer {
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

/** The answer that the visitor is to get, or for a proxy that can show none, where it lies. */
export function denial(peer: Peer, answer: OwnAnswer, held: HeldAnswers): OwnAnswer {
  switch (peer.denial.kind) {
    case 'fetched':
      return { status: 403, fields: ['X-Guard-Answer', held.keep(answer)], body: EMPTY };
    case 'shown':
      return peer.denial.mistakesForPass(answer.status) ? { ...answer, status: 403 } : answer;
  }
}
