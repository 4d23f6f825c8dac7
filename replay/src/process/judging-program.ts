/** The program of a replay's process. It judges the lines that it gets, and answers with the counts so far. */
import { Comparison } from '../judge/comparison.ts';
import type { ToJudge } from './judging-process.ts';

/** A page shows no more. */
const MAX_GROUPS = 20;

let comparison: Comparison | undefined;

process.on('message', (message) => {
  // judging-process.ts sends these, in this order.
  const what = message as ToJudge;
  if (!isLines(what)) {
    comparison = new Comparison({ ...what, site: undefined, assumeVerified: false });
    process.send?.('ready');
    return;
  }
  what.forEach((line, index) => comparison?.take(line, 'events', index + 1));
  const report = comparison?.report();
  process.send?.(report && { ...report, groups: report.groups.slice(0, MAX_GROUPS) });
});
process.on('disconnect', () => process.exit());

function isLines(what: ToJudge): what is readonly string[] {
  return Array.isArray(what);
}
