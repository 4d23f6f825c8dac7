import type { RequiredWork } from '../../page-contract/evidence.ts';

/** The work that an answer of the collector requires. Undefined when the answer requires no work. */
export function requiredWorkOf(answer: string): RequiredWork | undefined {
  const [, result, task] = /^\{"result":"(work|doubt)","task":"([\w.-]+)"\}$/.exec(answer) ?? [];
  if (task === undefined) return undefined;
  return { result: result === 'doubt' ? 'doubt' : 'work', task };
}
