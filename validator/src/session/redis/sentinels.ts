import { createClient } from '@redis/client';

/**
 * The URL of the primary that Sentinels know under the host of `url`; undefined while none of them answers. All are
 * asked at once, and the first answer counts: one that is gone holds up nothing. Whether the server is the primary shows
 * when it is written to. Never rejects.
 */
export async function primaryOf(
  url: string,
  sentinels: readonly string[],
): Promise<string | undefined> {
  const { protocol, hostname } = new URL(url);
  const answers = sentinels.map((address) => askSentinel(`${protocol}//${address}`, hostname));
  const primary = await Promise.any(answers).catch(() => undefined);
  if (primary === undefined) return undefined;
  const found = new URL(url);
  found.hostname = primary.host.includes(':') ? `[${primary.host}]` : primary.host;
  found.port = primary.port;
  return found.href;
}

interface Address {
  readonly host: string;
  readonly port: string;
}

const CONNECT_TIMEOUT_MS = 500;

/** @throws where it does not answer, or knows no such name. */
async function askSentinel(url: string, name: string): Promise<Address> {
  const client = createClient({
    url,
    socket: { reconnectStrategy: false, connectTimeout: CONNECT_TIMEOUT_MS },
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const answer = await client.sendCommand<unknown>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name]);
    const [host, port] = Array.isArray(answer) ? (answer as unknown[]) : [];
    if (typeof host !== 'string' || typeof port !== 'string') throw new Error('no such name');
    return { host, port };
  } finally {
    client.destroy();
  }
}
