import { randomBytes } from 'node:crypto';
import { dataAgeIn } from '../running-guard/data-age.ts';
import { readMetrics } from '../running-guard/read-metrics.ts';
import type { MetricName } from '@guard/config/contract/metrics';
import type { RunningGuard } from '../running-guard/find-guard.ts';
import { isTrusted } from './own-address.ts';
import { type Answers, type Evidence, FORGED_ADDRESS } from './evidence.ts';
import {
  type ExchangeOptions,
  exchange,
  type Exchange,
  handshakeHeaders,
} from '../exchange/exchange.ts';
import { follow } from './follow.ts';
import { sessionCookie, uploadUrl } from './guard-page.ts';
import { LAST_ACCEPT, seenRequests } from './seen-requests.ts';
import { probeTls } from './tls-probe.ts';

export interface Examination {
  readonly url: string;
  readonly guard: RunningGuard;
  readonly timeoutMs: number;
  /** The local address from which doctor connects. */
  readonly from: string | undefined;
  readonly statedAddress: string | undefined;
  /** The path or URL of a WebSocket of the site. */
  readonly webSocket: string | undefined;
}

type Send = (
  url: string,
  headers?: Readonly<Record<string, string>>,
  method?: ExchangeOptions['method'],
) => Promise<Exchange>;

/** Sends the requests for the checks: about ten, one after the other. */
export async function collectEvidence(examination: Examination): Promise<Evidence> {
  const { url, guard, timeoutMs, from, statedAddress, webSocket } = examination;
  // The User-Agent is unique, so that doctor can find the requests in Guard's events.
  const userAgent = `guard-doctor/1 (${randomBytes(8).toString('hex')})`;
  const send: Send = (to, headers = {}, method = 'GET') =>
    exchange(to, {
      method,
      timeoutMs,
      from,
      headers: { ...visitorHeaders(userAgent), ...headers },
    });

  const redirects = await follow(url, send);
  const answers =
    redirects.kind === 'arrived' ? await askAll(redirects.page, send, examination) : undefined;
  const seen =
    answers === undefined
      ? ({ kind: 'none' } as const)
      : await seenRequests(guard.events, userAgent, timeoutMs);
  const metrics = guard.admin === undefined ? undefined : await readMetrics(guard.admin, timeoutMs);
  const values = metrics?.kind === 'read' ? metrics.values : undefined;
  const valueOf = (name: MetricName) => values && (values.get(name)?.get('') ?? 0);
  const isOne = (name: MetricName) => values && valueOf(name) === 1;
  return {
    redirects,
    answers,
    seen,
    oneAddress: isOne('guard_gateway_one_address'),
    forwardedUndecided: valueOf('guard_gateway_forwarded_undecided_total'),
    database: values?.has('guard_analytics_failing')
      ? {
          failing: isOne('guard_analytics_failing') === true,
          deletionHeld: isOne('guard_analytics_deletion_held') === true,
        }
      : undefined,
    dataAge: values && dataAgeIn(values),
    settings: guard.settings,
    statedAddress,
    expectsWebSocket: webSocket !== undefined,
    nowMs: Date.now(),
  };
}

async function askAll(
  page: Answers['page'],
  send: Send,
  { timeoutMs, from, webSocket, guard }: Examination,
): Promise<Answers> {
  const { url } = page;
  const cookie = sessionCookie(page);
  const upload = uploadUrl(page);
  const bare = url.replace(/^https:/, 'http:').replace(/^(http:\/\/[^/?#]*):443(?=[/?#]|$)/, '$1');
  // Guard would believe forged headers that come from a trusted proxy.
  const isProxy = isTrusted(guard.settings, page.localAddress);
  const forge = (headers: Readonly<Record<string, string>>) => send(url, isProxy ? {} : headers);
  const again = await send(url);
  const returning =
    cookie === undefined ? undefined : await send(url, { cookie: `_guard=${cookie}` });
  // For these two requests, the checks judge the events of Guard, and not the answers.
  await forge({ 'x-forwarded-for': FORGED_ADDRESS });
  await forge({ forwarded: `for=${FORGED_ADDRESS}` });
  return {
    url,
    page,
    again,
    returning,
    uploadByGet: await send(upload),
    uploadByPost: await send(upload, { 'content-length': '0' }, 'POST'),
    handshake: await send(new URL(webSocket ?? '', url).href, handshakeHeaders()),
    plain: url.startsWith('https:') ? await send(bare) : undefined,
    tls: await probeTls(url, { timeoutMs, from }),
    // This must be the last request, because seenRequests waits until Guard has recorded it.
    problem: await send(url, { accept: LAST_ACCEPT }),
  };
}

function visitorHeaders(userAgent: string): Record<string, string> {
  return {
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
    'accept-language': 'en',
    'accept-encoding': 'gzip, br',
  };
}
