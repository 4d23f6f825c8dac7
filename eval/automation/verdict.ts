import type { Row } from './measure-all.ts';

/** Maximum number of requests for one page in a visit that passes the challenge with one reload. */
const ONE_RELOAD = 2;

/** Returns whether the goal was met on the strict site. Undefined for a tool that could not be measured. */
export function isMet(row: Row): boolean | undefined {
  if (row.kind === 'not run') return undefined;
  const { made, reached, maxRequests } = row.strict;
  if (made === 0) return undefined;
  switch (row.tool.goal) {
    case 'stopped 100 %':
      return reached === 0;
    case 'stopped ≥ 90 %':
      return (made - reached) / made >= 0.9;
    case 'allowed 100 %':
      // A person whose browser failed did not arrive.
      return reached === made && row.strict.broke.length === 0 && maxRequests <= ONE_RELOAD;
  }
}
