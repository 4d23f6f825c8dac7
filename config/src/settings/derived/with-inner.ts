import type { Match } from '../sections/rule.ts';

/** A match and those inside it. */
export function withInner(match: Match): readonly Match[] {
  const { any = [], all = [], not } = match;
  return [match, ...[...any, ...all, ...(not ? [not] : [])].flatMap(withInner)];
}
