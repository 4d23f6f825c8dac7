import { Patience } from '@guard/config/time/patience';
import { createClient, type RedisClientType } from '@redis/client';

/**
 * Asks Sentinels for the URL of the current primary. The host of `url` is the name of the primary. All Sentinels are
 * asked at the same time, and the first answer is used, so a silent Sentinel causes no delay. The answer can be out of
 * date. So the probe of the connection tests whether the server accepts writes. Undefined when no Sentinel answers.
 * Never rejects.
 */
export async function primaryOf(
  url: string,
  sentinels: readonly string[],
): Promise<string | undefined> {
  const { protocol, hostname } = new URL(url);
  const answers = sentinels.map((address) => askSentinel(`${protocol}//${address}`, hostname));
  const primary = await Promise.any(answers).catch(() => undefined);
  if (primary === undefined) return undefined;
  const primaryUrl = new URL(url);
  primaryUrl.hostname = primary.host.includes(':') ? `[${primary.host}]` : primary.host;
  primaryUrl.port = primary.port;
  return primaryUrl.href;
}

interface Address {
  readonly host: string;
  readonly port: string;
}

const CONNECT_TIMEOUT_MS = 500;
/** Time limit for one Sentinel. Without it, a silent Sentinel would keep one connection open for each attempt. */
const asking = new Patience(1_000);

/** Asks one Sentinel. Rejects when it does not answer in time, or does not have the name. */
async function askSentinel(url: string, name: string): Promise<Address> {
  const client: RedisClientType = createClient({
    url,
    socket: { reconnectStrategy: false, connectTimeout: CONNECT_TIMEOUT_MS },
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
  });
  client.on('error', () => undefined);
  try {
    return await asking.within(addressOf(client, name), () => Promise.reject(new Error('silent')));
  } finally {
    client.destroy();
  }
}

async function addressOf(client: RedisClientType, name: string): Promise<Address> {
  await client.connect();
  const answer = await client.sendCommand<unknown>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name]);
  const [host, port] = Array.isArray(answer) ? (answer as unknown[]) : [];
  if (typeof host !== 'string' || typeof port !== 'string') throw new Error('no such name');
  return { host, port };
}
