import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { startRecordingOrigin } from '../../test/kit/origins/recording-origin.ts';
import { startProduct } from '../../test/kit/product/start-product.ts';
import { productSettings } from '../../test/kit/product/product-settings.ts';
import { decodeBody, poll } from '../../test/kit/http.ts';
import { chromeHttp } from '../../test/kit/visitors/visitors.ts';
import { loadBrowserBundle } from '../../validator/browser/build.ts';
import { findEvents } from '../find-events.ts';

/** The default site enforces the rule of the README. The strict site challenges every session. */
export const SITES = { default: 'default.example', strict: 'strict.example' } as const;
export type Site = keyof typeof SITES;
export type Scheme = 'http' | 'https';

const RULES = [
  { name: 'strict', match: { host: SITES.strict }, detect: true, challenge: 'always' },
  { name: 'everybody', match: {}, detect: true, challenge: 'auto' },
];

/** The cipher suites of a TLS library that is not Node's. */
const OTHER_CIPHERS =
  'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';

export interface AttackRequest {
  readonly site: Site;
  readonly scheme: Scheme;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The source address, below 127.0.0.0/8. */
  readonly from?: string;
  readonly cookie?: string;
  readonly body?: string;
  /** True if the answer is a file. Then the body has one character for each byte. */
  readonly isFile?: boolean;
  /** True if another TLS library sends the request. It offers other cipher suites. */
  readonly otherTls?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The session in the cookie of the answer. */
  readonly session: string;
}

/** What Guard decided about the requests below one path. */
export interface Decisions {
  /** The block reasons, with the number of decisions for each of them. */
  readonly reasons: ReadonlyMap<string, number>;
  /** How many requests reached the site, and their answers did not reach the attacker. */
  readonly heldBack: number;
}

/** Guard as users run it, in front of a site that records its visitors. */
export interface Testbed {
  send(request: AttackRequest): Promise<Answer>;
  /** The port of Guard on 127.0.0.1. */
  port(scheme: Scheme): number;
  /** Returns the number of requests below this path that reached the site. */
  reached(prefix: string): number;
  decisions(prefix: string): Promise<Decisions>;
  close(): Promise<void>;
}

export async function startTestbed(): Promise<Testbed> {
  const origin = await startRecordingOrigin();
  const folder = await mkdtemp(join(tmpdir(), 'guard-attack-'));
  const { key, cert } = selfSigned('localhost');
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
  await writeFile(files.key, key, { mode: 0o600 });
  await writeFile(files.cert, cert);
  const settings = productSettings(origin.url, {
    rules: RULES,
    site: { hosts: Object.values(SITES) },
    // No proxy is trusted, because attackers connect directly, from addresses of the loopback network.
    top: { trusted_proxies: [], tls: { certificates: [files] } },
  });
  const listen = { ...(settings['listen'] as object), gateway_tls: '127.0.0.1:0' };
  const product = await startProduct({ ...settings, listen });
  const ports = {
    http: Number(new URL(product.addresses.gateway).port),
    https: Number(new URL(product.addresses.gateway_tls).port),
  };
  // A Guard that has just started has the plain script in its pages, until the programs of this hour are built.
  const { interstitial } = loadBrowserBundle();
  await poll(
    () => sendTo(ports.http, { site: 'strict', scheme: 'http', path: '/', headers: chromeHttp }),
    ({ body }) => !body.includes(interstitial),
  );
  return {
    send: (request) => sendTo(ports[request.scheme], request),
    port: (scheme) => ports[scheme],
    reached: (prefix) => origin.arrivals.filter(({ url }) => url.startsWith(prefix)).length,
    async decisions(prefix) {
      const events = await findEvents<{
        block_reasons: readonly string[];
        action: string;
        origin_status: number;
      }>(product, prefix, 'block_reasons, action, origin_status', (path) =>
        sendTo(ports.http, { site: 'strict', scheme: 'http', path, headers: {} }),
      );
      const reasons = new Map<string, number>();
      for (const reason of events.flatMap(({ block_reasons }) => block_reasons))
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      const held = events.filter(
        ({ action, origin_status: status }) => action !== 'allow' && status > 0,
      );
      return { reasons, heldBack: held.length };
    },
    async close() {
      await product.stop();
      await origin.close();
      await rm(folder, { recursive: true });
    },
  };
}

function sendTo(port: number, request: AttackRequest): Promise<Answer> {
  const {
    site,
    scheme,
    path,
    from = '127.0.0.1',
    cookie,
    body,
    otherTls = false,
    isFile,
  } = request;
  const method = body === undefined ? 'GET' : 'POST';
  const headers = {
    ...request.headers,
    host: SITES[site],
    ...(cookie !== undefined && { cookie: `_guard=${cookie}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const target = { host: '127.0.0.1', port, path, method, headers, localAddress: from };
  const tls = {
    rejectUnauthorized: false,
    servername: SITES[site],
    ...(otherTls && { ciphers: OTHER_CIPHERS }),
  };
  return new Promise((resolve, reject) => {
    const take = (answer: IncomingMessage) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject).on('end', () => {
        const session = /_guard=([^;]+)/.exec(String(answer.headers['set-cookie']))?.[1] ?? '';
        const text = decodeBody(answer, chunks).toString(isFile ? 'latin1' : 'utf8');
        resolve({ status: answer.statusCode ?? 0, body: text, session });
      });
    };
    const outgoing =
      scheme === 'http'
        ? overHttp(target, take)
        : overHttps({ ...target, ...tls, agent: false }, take);
    outgoing.on('error', reject).end(body);
  });
}
