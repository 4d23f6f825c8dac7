/** A process that stores sessions with incompressible data in a LastingStore, prints its log, and ends. */
import { randomBytes, randomUUID } from 'node:crypto';
import { LastingStore } from '../lasting-store.ts';

const PASSED = {
  organisation: 'acme',
  state: 'verified',
  reasons: [],
  network: '192.0.2.0/24',
  client: '',
  judgedAt: 0,
} as const;

const [folder = '', sessions = '0'] = process.argv.slice(2);
const store = await LastingStore.open({
  folder,
  clock: Date.now,
  log: (_level, event, fields = {}) => process.stdout.write(`${event} ${JSON.stringify(fields)}\n`),
  limits: { maxSessions: 10_000, maxSpent: 16, maxBudgets: 16 },
});
for (let i = 0; i < Number(sessions); i++) {
  const userAgentHash = randomBytes(48).toString('base64');
  store.keepSession(randomUUID(), { ...PASSED, userAgentHash }, 3_600_000);
}
await store.close();
