import { once } from 'node:events';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import type { LoadOptions, LoadResult, Traffic } from './measure/traffic.ts';

/** The TLS version and algorithms that a handshake agreed on. */
export interface Negotiated {
  readonly version: string | null;
  readonly cipher: string;
  readonly certificate: string;
}

type Session = Buffer | undefined;

/** All targets use this group, so that they do the same work. Debian's OpenSSL has no X25519MLKEM768. */
const KEY_EXCHANGE = 'X25519';
/** The host in the certificate of all targets. */
export const HOST = 'shop.example';
const context = createSecureContext({ ecdhCurve: KEY_EXCHANGE });

/**
 * Opens TLS connections for one request each, `connections` of them at a time. With `resumed`, each connection resumes
 * the TLS session of the connection before it. It is an error when a connection does not resume although it should, or
 * resumes although it should not.
 */
export async function connectAnew(
  traffic: Traffic,
  { connections, seconds }: LoadOptions,
  isResumed: boolean,
): Promise<LoadResult> {
  const text = requestOf(traffic);
  const latencies: number[] = [];
  // The first connection of each lane has no session to resume.
  const lanes = await Promise.all(
    Array.from({ length: connections }, () => visit(traffic.url, text)),
  );
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const lane = async (firstSession: Session) => {
    let session = isResumed ? firstSession : undefined;
    while (performance.now() < endAt) {
      const sentAt = performance.now();
      const nextSession = await visit(traffic.url, text, session);
      latencies.push((performance.now() - sentAt) * 1000);
      if (isResumed) session = nextSession ?? session;
    }
  };
  await Promise.all(lanes.map(lane));
  const elapsedS = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    requests: latencies.length,
    seconds: elapsedS,
    p50Us: percentile(0.5),
    p99Us: percentile(0.99),
  };
}

/** Opens one connection and sends one request. Resolves with the TLS session that the next connection can resume. */
async function visit(url: string, text: string, session?: Session): Promise<Session> {
  const socket = openConnection(url, session);
  let nextSession: Session;
  socket.on('session', (ticket: Buffer) => {
    nextSession = ticket;
  });
  try {
    await once(socket, 'secureConnect');
    if (socket.isSessionReused() !== (session !== undefined)) {
      throw new Error(`${url} ${session === undefined ? 'resumed' : 'did not resume'} a session`);
    }
    socket.write(text, 'latin1');
    let answer = '';
    for await (const part of socket) {
      answer += (part as Buffer).toString('latin1'); // a socket without an encoding returns Buffers
      if (isWhole(answer)) break;
    }
    if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`${url}: ${answer.slice(0, 200)}`);
  } finally {
    socket.destroy();
  }
  return nextSession;
}

function openConnection(url: string, session: Session): TLSSocket {
  const { hostname: host, port } = new URL(url);
  return connect({
    ...{ host, port: Number(port), secureContext: context, rejectUnauthorized: false },
    // Browsers send the name of the host, so Guard looks up the certificate of the host.
    ...{ servername: HOST, ALPNProtocols: ['http/1.1'], ...(session && { session }) },
  });
}

function requestOf({ path, headers }: Traffic): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`;
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer)?.[1];
  return end !== -1 && answer.length >= end + 4 + Number(length ?? 0);
}

/** The TLS version and algorithms that a target chooses with a client that offers its defaults. */
export async function negotiatedWith(url: string): Promise<Negotiated> {
  const socket = openConnection(url, undefined);
  try {
    await once(socket, 'secureConnect');
    return {
      version: socket.getProtocol(),
      cipher: socket.getCipher().standardName,
      certificate: socket.getPeerX509Certificate()?.fingerprint256 ?? '',
    };
  } finally {
    socket.destroy();
  }
}
