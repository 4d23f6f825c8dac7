/** A worker thread that does what the id of a session tells it to; tells of sessions by counting them. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Beginning, Order, Report } from '../messages.ts';

const main = parentPort;
const { addresses } = workerData as Beginning;
const tell = (report: Report): void => {
  main?.postMessage(report);
};
let sessions = 0;

main?.on('message', (order: Order) => {
  switch (order.kind) {
    case 'sessions':
      sessions += order.sessions.length;
      return;
    case 'session':
      sessions += 1;
      if (order.announced.id === 'crash') throw new Error('odd thread');
      if (order.announced.id !== 'hang') tell({ kind: 'heard', number: order.number });
      return;
    case 'reload':
      tell({
        kind: 'counted',
        tally: {
          counts: [['guard_events_total', 'written', sessions]],
          observed: [],
          gauges: new Map(),
        },
      });
      tell({ kind: 'reloaded', fault: 'cannot', number: order.number });
      return;
    case 'known':
      return;
    case 'close':
      tell({ kind: 'closed' });
      main.close();
  }
});

if (addresses.gateway === 'nowhere') {
  tell({ kind: 'failed', reason: 'no such address' });
  main?.close();
} else {
  tell({ kind: 'listening' });
}
