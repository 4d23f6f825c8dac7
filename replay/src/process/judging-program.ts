/** The main module of the judging process. It judges the lines that it receives, and answers with the counts so far. */
import { Comparison } from '../judge/comparison.ts';
import type { JudgeMessage } from './judging-process.ts';

/** Maximum number of groups: the dashboard shows at most this many. */
const MAX_GROUPS = 20;

let comparison: Comparison | undefined;

process.on('message', (message) => {
  // judging-process.ts sends the settings first, then lines.
  const judgeMessage = message as JudgeMessage;
  if (!isLines(judgeMessage)) {
    comparison = new Comparison({ ...judgeMessage, site: undefined, assumeVerified: false });
    process.send?.('ready');
    return;
  }
  judgeMessage.forEach((line, index) => comparison?.take(line, 'events', index + 1));
  const report = comparison?.report();
  process.send?.(report && { ...report, groups: report.groups.slice(0, MAX_GROUPS) });
});
process.on('disconnect', () => process.exit());

function isLines(message: JudgeMessage): message is readonly string[] {
  return Array.isArray(message);
}
