/**
 * A worker thread for tests of the pool. The id of a session can be a command: `crash` or `hang`. The revision of a
 * reload can be a command too: the worker cannot apply `faulty`. After a reload the worker reports two counters: the
 * number of sessions that it received, and the value of `observe` at its start.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { MessageFromWorker, MessageToWorker, WorkerData } from '../worker-handle.ts';

const main = parentPort;
const { addresses, settings } = workerData as WorkerData;
const send = (message: MessageFromWorker): void => {
  main?.postMessage(message);
};
let sessions = 0;

main?.on('message', (message: MessageToWorker) => {
  switch (message.kind) {
    case 'sessions':
      sessions += message.sessions.length;
      return;
    case 'session':
      sessions += 1;
      if (message.shared.id === 'crash') throw new Error('scripted crash');
      if (message.shared.id !== 'hang') send({ kind: 'session-received', number: message.number });
      return;
    case 'reload':
      send({
        kind: 'metrics',
        report: {
          counters: [
            ['guard_events_total', 'written', sessions],
            ['guard_decisions_total', `observe ${settings.observe}`, 1],
          ],
          durations: undefined,
          gauges: new Map(),
        },
      });
      send({
        kind: 'reloaded',
        fault: message.revision === 'faulty' ? 'cannot' : undefined,
        number: message.number,
      });
      return;
    case 'session-shared':
    case 'crowdsec':
      return;
    case 'close':
      send({ kind: 'closed' });
      main.close();
  }
});

if (addresses.gateway === 'nowhere') {
  send({ kind: 'start-failed', reason: 'no such address' });
  main?.close();
} else {
  send({ kind: 'listening' });
}
