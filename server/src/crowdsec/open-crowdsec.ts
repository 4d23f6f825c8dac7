import type { CrowdsecChanges } from '@guard/config/contract/crowdsec';
import type { Settings } from '@guard/config/settings/schema';
import { CrowdsecList } from '@guard/validator';
import type { Close, ProcessContext } from '../process/process-context.ts';
import { watchCrowdsec } from './watch-crowdsec.ts';

/** The other threads. Each thread keeps its own list. */
interface Threads {
  allCrowdsecDecisions: () => CrowdsecChanges | undefined;
  sendCrowdsec(changes: CrowdsecChanges): void;
}

interface OpenCrowdsec {
  readonly list: CrowdsecList;
  readonly close: Close;
}

/**
 * Keeps CrowdSec's decisions current in all threads. Only the main thread asks CrowdSec, so each change is sent
 * once.
 */
export async function openCrowdsec(
  settings: () => Settings,
  context: ProcessContext,
  threads: Threads | undefined,
): Promise<OpenCrowdsec> {
  const list = new CrowdsecList(context.clock);
  const { all, close } = await watchCrowdsec({
    ...context,
    settings,
    elapsed: () => performance.now(),
    onChanges(changes) {
      list.apply(changes);
      threads?.sendCrowdsec(changes);
    },
  });
  if (threads) threads.allCrowdsecDecisions = all;
  return { list, close };
}
