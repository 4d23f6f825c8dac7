import { createHmac } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Analytics } from '@guard/analytics';
import type { Log } from '@guard/config/contract/ports';
import { removeAbandonedSocket } from '@guard/config/net/abandoned-socket';
import {
  controlSocket,
  type ForgetAnswer,
  ForgetRequest,
} from '@guard/config/settings/derived/forget-request';
import type { Settings } from '@guard/config/settings/schema';
import { createService } from '../listeners/listen.ts';
import type { Close } from '../process/process-context.ts';

/**
 * The answer comes when a deletion is finished. Until then no byte is sent on the connection, so the idle time is long.
 */
const CONTROL_TIMES = { headMs: 10_000, requestMs: 30_000, checkMs: 1_000, idleMs: 7_200_000 };

/**
 * Takes requests of the operator on a socket in a folder that only this account and root can enter. No key gives access
 * to the socket. If Guard cannot listen on it, the log says why, and Guard runs without the socket.
 */
export async function openControl(options: {
  readonly settings: () => Settings;
  readonly forget: Analytics['forget'];
  readonly log: Log;
}): Promise<Close> {
  const { settings, forget, log } = options;
  const path = controlSocket(settings());
  if (path === undefined) return () => Promise.resolve();
  const app = createService({ trusted_proxies: [] }, CONTROL_TIMES);
  app.post('/forget', async (request): Promise<ForgetAnswer> => {
    const parsed = ForgetRequest.safeParse(request.body);
    if (!parsed.success) {
      return {
        kind: 'refused',
        message: 'This Guard does not know the request. Do both have the same version?',
      };
    }
    const { act, organisation, person, by } = parsed.data;
    const { organisations, secret } = settings();
    if (!organisations.some(({ id }) => id === organisation)) {
      return { kind: 'refused', message: `No organisation has the id ${organisation}.` };
    }
    // The digest uses a key, because from a plain digest one can find the address within seconds.
    const audit = createHmac('sha256', [secret].flat()[0] ?? '')
      .update(`forget ${organisation} ${person.kind} ${person.value}`)
      .digest('hex')
      .slice(0, 32);
    const logFields = { organisation, by, target: person.kind, audit };
    if (act === 'delete') log('info', 'forget_begun', logFields);
    const outcome = await forget(act, organisation, person);
    if (outcome.kind !== 'deleted') {
      if (act === 'delete' && outcome.kind === 'refused') {
        log('error', 'forget_failed', { ...logFields, reason: outcome.message });
      }
      return outcome;
    }
    const { rows, left, waiting } = outcome;
    log('info', 'forget_done', { ...logFields, rows, left, waiting });
    return { ...outcome, audit };
  });
  try {
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The permissions of the folder are set before the socket exists, because the umask decides which users can use a
    // new socket.
    await chmod(folder, 0o700);
    await removeAbandonedSocket(path);
    await app.listen({ path });
    await chmod(path, 0o600);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = isTaken
      ? `another Guard uses the folder ${dirname(dirname(path))}: give each Guard a folder of its own in store.path and analytics.path`
      : String(error);
    log('warn', 'control_unavailable', { reason });
  }
  return async () => {
    const closing = app.close();
    // Guard does not wait for a deletion, which can take long. The database finishes an interrupted deletion after the
    // next start.
    app.server.closeAllConnections();
    await closing;
  };
}
