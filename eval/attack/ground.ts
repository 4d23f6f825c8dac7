import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { poll } from '../../test/kit/http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../../test/kit/recording-origin.ts';
import { rowsOf } from '../../test/kit/sql.ts';
import { startProduct } from '../../test/kit/start-product.ts';
import { storySettings } from '../../test/kit/story-settings.ts';

/** The two sites: one has the rule of the README, enforced; the other challenges every session. */
export const SITES = { default: 'default.example', strict: 'strict.example' } as const;
export type Site = keyof typeof SITES;
export type Scheme = 'http' | 'https';

const RULES = [
  { name: 'strict', match: { host: SITES.strict }, detect: true, challenge: 'always' },
  { name: 'everybody', match: {}, detect: true, challenge: 'auto' },
];

/** Longest wait until an event can be found by SQL. */
const EVENTS_MS = 30_000;
/** Connections that all clients of one kind share. */
const CIPHERS = 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';

/** One request of an attacker. */
export interface Shot {
  readonly site: Site;
  readonly scheme: Scheme;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Address that it comes from, below 127.0.0.0/8. */
  readonly from?: string;
  readonly cookie?: string;
  readonly body?: string;
  /** The answer is no text: its body gets a character for each byte. */
  readonly isFile?: boolean;
  /** Another TLS library: it offers other ciphers. */
  readonly otherTls?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The session that came along. */
  readonly session: string;
}

/** Guard as its users run it, before a site that remembers who reached it. */
export interface Ground {
  send(shot: Shot): Promise<Answer>;
  /** Of Guard, on 127.0.0.1. */
  port(scheme: Scheme): number;
  /** Requests below this path that reached the site. */
  reached(prefix: string): number;
  /** Block reasons of the decisions below this path, each with how many had it. */
  reasons(prefix: string): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

export async function startGround(): Promise<Ground> {
  const origin = await startRecordingOrigin();
  const folder = await mkdtemp(join(tmpdir(), 'guard-attack-'));
  const { key, cert } = selfSigned('localhost');
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
  await writeFile(files.key, key, { mode: 0o600 });
  await writeFile(files.cert, cert);
  const settings = storySettings(origin.url, {
    rules: RULES,
    site: { hosts: Object.values(SITES) },
    // Attackers use addresses of the loopback network. No proxy tells another one.
    top: { trusted_proxies: [], tls: { certificates: [files] } },
  });
  const listen = { ...(settings['listen'] as object), gateway_tls: '127.0.0.1:0' };
  const product = await startProduct({ ...settings, listen });
  const ports = {
    http: Number(new URL(product.addresses.gateway).port),
    https: Number(new URL(product.addresses.gateway_tls).port),
  };
  let asked = 0;
  return {
    send: (shot) => sendTo(ports[shot.scheme], shot),
    port: (scheme) => ports[scheme],
    reached: (prefix) => arrivalsOf(origin, prefix),
    async reasons(prefix) {
      // Events are written in order: what can be found behind all others says that they are there.
      const last = `${prefix}last-${(asked += 1)}`;
      await sendTo(ports.http, { site: 'strict', scheme: 'http', path: last, headers: {} });
      const ask = () =>
        rowsOf<{ path: string; block_reasons: readonly string[] }>(
          product,
          `SELECT path, block_reasons FROM events_distributed WHERE startsWith(path, '${prefix}')`,
        );
      const rows = await poll(ask, (found) => found.some(({ path }) => path === last), EVENTS_MS);
      const counts = new Map<string, number>();
      for (const { path, block_reasons } of rows) {
        if (path === last) continue;
        for (const reason of block_reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
      return counts;
    },
    async close() {
      await product.stop();
      await origin.close();
      await rm(folder, { recursive: true });
    },
  };
}

function arrivalsOf(origin: RecordingOrigin, prefix: string): number {
  return origin.arrivals.filter(({ url }) => url.startsWith(prefix)).length;
}

function sendTo(port: number, shot: Shot): Promise<Answer> {
  const { site, scheme, path, from = '127.0.0.1', cookie, body, otherTls = false, isFile } = shot;
  const method = body === undefined ? 'GET' : 'POST';
  const headers = {
    ...shot.headers,
    host: SITES[site],
    ...(cookie !== undefined && { cookie: `_guard=${cookie}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const target = { host: '127.0.0.1', port, path, method, headers, localAddress: from };
  const tls = {
    rejectUnauthorized: false,
    servername: SITES[site],
    ...(otherTls && { ciphers: CIPHERS }),
  };
  return new Promise((resolve, reject) => {
    const take = (answer: IncomingMessage) => {
      let text = '';
      answer.setEncoding(isFile ? 'latin1' : 'utf8').on('data', (part: string) => (text += part));
      answer.on('error', reject).on('end', () => {
        const session = /_guard=([^;]+)/.exec(String(answer.headers['set-cookie']))?.[1] ?? '';
        resolve({ status: answer.statusCode ?? 0, body: text, session });
      });
    };
    const sent =
      scheme === 'http'
        ? overHttp(target, take)
        : overHttps({ ...target, ...tls, agent: false }, take);
    sent.on('error', reject).end(body);
  });
}
