import { setImmediate as turn } from 'node:timers/promises';

/**
 * Collects once what the start of this process left behind, and gives the pages back to the system: some 80 MB, in a tenth of a
 * second. V8 would keep them for as long as little is allocated, so an idle Guard would hold them for ever.
 *
 * The inspector is the way to ask for it that needs no flag at the start. A Node that was built without one
 * keeps the memory.
 */
export async function giveBackStartMemory(): Promise<void> {
  if (!process.features.inspector) return;
  // What the start awaited last is garbage after this turn.
  await turn();
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
