import type { CrowdsecChanges } from '@guard/config/contract/crowdsec';
import type { Settings } from '@guard/config/settings/schema';
import { CrowdsecList } from '@guard/validator';
import type { Close, ProcessContext } from '../process/process-context.ts';
import { watchCrowdsec } from './watch-crowdsec.ts';

/** The other threads, which have a list each. */
interface Threads {
  allOfCrowdsec: () => CrowdsecChanges | undefined;
  tellCrowdsec(changes: CrowdsecChanges): void;
}

export interface OpenCrowdsec {
  readonly list: CrowdsecList;
  readonly close: Close;
}

/** The decisions of CrowdSec, kept as it changes them, in every thread. CrowdSec tells one asker, which is the main thread. */
export async function openCrowdsec(
  settings: () => Settings,
  context: ProcessContext,
  threads: Threads | undefined,
): Promise<OpenCrowdsec> {
  const list = new CrowdsecList(context.clock);
  const { all, close } = await watchCrowdsec({
    ...context,
    settings,
    take(changes) {
      list.apply(changes);
      threads?.tellCrowdsec(changes);
    },
  });
  if (threads) threads.allOfCrowdsec = all;
  return { list, close };
}
