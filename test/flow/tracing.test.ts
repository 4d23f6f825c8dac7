import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../kit/peers/asking-proxies.ts';
import { connectAsEnvoy } from '../kit/peers/envoy-client.ts';
import { freePort } from '../kit/free-port.ts';
import { poll } from '../kit/http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { curl } from '../kit/visitors/visitors.ts';

/** These tests read the spans of a Guard that was started with an SDK of OpenTelemetry. */

const OTEL = pathToFileURL(join(import.meta.dirname, '../kit/fixtures/otel-to-file.mjs')).href;
const FOREIGN = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${FOREIGN.traceId}-${FOREIGN.spanId}-01`;

const ANY_PORT = '127.0.0.1:0';

/** The numbers that the OpenTelemetry API uses for kinds of spans and for states. */
const KIND = { internal: 0, server: 1, client: 2 } as const;
const STATUS = { unset: 0, error: 2 } as const;

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number };
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root span. */
  readonly parent: string;
  readonly duration: readonly [seconds: number, nanoseconds: number];
}

let origin: RecordingOrigin;
let product: Product;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guard-spans-'));
  origin = await startRecordingOrigin();
  const settings = productSettings(origin.url, {
    rules: [
      { name: 'shut', match: { path: '/shut/**' }, verdict: 'block' },
      { name: 'open', match: {}, verdict: 'allow' },
    ],
    top: {
      listen: { gateway: ANY_PORT, forward_auth: ANY_PORT, ext_authz: ANY_PORT },
      workers: 2,
      analytics: undefined,
      log: { decisions: true, format: 'ecs' },
    },
  });
  const closedUrl = `http://127.0.0.1:${await freePort()}`;
  const sites = [
    ...(settings['sites'] as unknown[]), // the form that productSettings makes
    { hosts: ['away.example'], organisation: 'acme', origin: closedUrl },
  ];
  product = await startProduct(
    { ...settings, sites },
    { NODE_OPTIONS: `--import ${OTEL}`, SPANS_FILE: join(folder, 'spans') },
  );
});

afterAll(async () => {
  await product.stop();
  await origin.close();
  await rm(folder, { recursive: true, force: true });
});

/** One request on a new connection. Of all loopback addresses, Guard trusts only 127.0.0.1. */
async function visit(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  from: '127.0.0.1' | '127.0.0.2' = '127.0.0.2',
): Promise<number> {
  const clientRequest = request(`${product.addresses.gateway}${path}`, {
    agent: false,
    localAddress: from,
    headers: { ...curl, ...headers },
  }).end();
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]; // the argument of the event `response`
  await readAll(answer);
  return answer.statusCode ?? 0;
}

/**
 * Waits until the root span of the request for this path has ended, and returns all spans of the request. The root span
 * ends last.
 */
async function spansOf(path: string): Promise<Span[]> {
  const file = join(folder, 'spans');
  const readSpans = () =>
    (existsSync(file) ? readFileSync(file, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Span);
  const isServer = ({ kind, attributes }: Span) =>
    kind === KIND.server && attributes['url.path'] === path;
  const all = await poll(
    () => Promise.resolve(readSpans()),
    (spans) => spans.some(isServer),
  );
  const traceId = all.find(isServer)?.traceId;
  return all.filter((span) => span.traceId === traceId);
}

/** The line in the log about the decision of this path. */
async function decisionLineOf(path: string): Promise<unknown> {
  const text = await poll(
    () => Promise.resolve(product.log()),
    (log) => log.includes(`"url.path":"${path}"`),
  );
  return JSON.parse(text.split('\n').find((one) => one.includes(`"url.path":"${path}"`)) ?? '');
}

function onlySpan(spans: readonly Span[], kind: number): Span {
  const found = spans.filter((span) => span.kind === kind);
  expect(found).toHaveLength(1);
  return found[0] ?? expect.fail('none');
}

describe('OpenTelemetry', () => {
  test('an allowed request has a root span, with spans for the decision and for the request to the origin', async () => {
    expect(await visit('/a/page?secret=1')).toBe(200);
    const spans = await spansOf('/a/page');
    expect(spans).toHaveLength(3);
    const server = onlySpan(spans, KIND.server);
    expect(server).toMatchObject({ name: 'GET', parent: '' });
    expect(server.attributes).toEqual({
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'url.path': '/a/page',
      'server.address': 'shop.example',
      'network.protocol.version': '1.1',
      'http.response.status_code': 200,
      'guard.site': '127.0.0.1',
      'guard.decision': 'allow',
      'guard.request_id': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    });
    const decide = onlySpan(spans, KIND.internal);
    expect(decide).toMatchObject({ name: 'guard.decide', parent: server.spanId });
    expect(decide.duration[0]).toBe(0);
    expect(decide.duration[1]).toBeGreaterThan(0);
    const client = onlySpan(spans, KIND.client);
    expect(client).toMatchObject({ name: 'GET', parent: server.spanId });
    expect(client.attributes).toEqual({
      'http.request.method': 'GET',
      'url.path': '/a/page',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(origin.url).port),
      'http.response.status_code': 200,
    });
    const arrival = await origin.arrival('/a/page?secret=1');
    expect(arrival.headers['traceparent']).toBe(`00-${client.traceId}-${client.spanId}-01`);
    expect(JSON.stringify(spans)).not.toMatch(/secret|curl|127\.0\.0\.2/);
  });

  test('a visitor cannot choose the trace: Guard ignores the traceparent of a peer that is not trusted', async () => {
    await visit('/forged', { traceparent, tracestate: 'acme=1' });
    const server = onlySpan(await spansOf('/forged'), KIND.server);
    expect(server.traceId).not.toBe(FOREIGN.traceId);
    expect(server.parent).toBe('');
    const { headers } = await origin.arrival('/forged');
    expect(headers['traceparent']).toContain(server.traceId);
    expect(headers['tracestate']).toBeUndefined();
  });

  test('behind a trusted proxy the request is part of the trace that the proxy began', async () => {
    await visit('/joined', { traceparent, tracestate: 'acme=1' }, '127.0.0.1');
    const spans = await spansOf('/joined');
    const server = onlySpan(spans, KIND.server);
    expect(server).toMatchObject({ traceId: FOREIGN.traceId, parent: FOREIGN.spanId });
    const { headers } = await origin.arrival('/joined');
    const client = onlySpan(spans, KIND.client);
    expect(headers['traceparent']).toBe(`00-${FOREIGN.traceId}-${client.spanId}-01`);
    expect(headers['tracestate']).toBe('acme=1');
  });

  test.each([
    ['/logged', 200],
    ['/shut/logged', 403],
  ])(
    'the log line of the decision on %s has the trace and the span of the request',
    async (path, status) => {
      expect(await visit(path)).toBe(status);
      const server = onlySpan(await spansOf(path), KIND.server);
      expect(await decisionLineOf(path)).toMatchObject({
        'trace.id': server.traceId,
        'span.id': server.spanId,
        'http.request.id': expect.any(String) as unknown,
      });
    },
  );

  describe.each(['forward-auth', 'ext_authz'] as const)('a question by %s', (front) => {
    /** Asks about a visitor's request, as Envoy does. */
    const askTraced = async (path: string, traceId: string) => {
      const parent = `00-${traceId}-${FOREIGN.spanId}-01`;
      const headers = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' };
      const host = 'shop.example';
      if (front === 'forward-auth') {
        const question = {
          path: `/check/envoy${path}`,
          method: 'GET',
          headers: { host, ...headers },
        };
        await ask(product.addresses.forward_auth, question, { traceparent: parent });
        return;
      }
      const envoy = connectAsEnvoy(product.addresses.ext_authz);
      await envoy.check({
        method: 'GET',
        host,
        path,
        headers: { ...headers, traceparent: parent },
      });
      envoy.close();
    };

    test.each([
      ['/', 'allow', undefined],
      ['/shut/', 'served', 403],
    ])(
      'about %s is part of the trace of the proxy, with a span and a log line',
      async (at, message, status) => {
        const path = `${at}${front}`;
        const traceId = randomBytes(16).toString('hex');
        await askTraced(path, traceId);
        const spans = await spansOf(path);
        const server = onlySpan(spans, KIND.server);
        expect(server).toMatchObject({ traceId, parent: FOREIGN.spanId });
        expect(server.attributes).toMatchObject({
          'guard.decision': message,
          'url.scheme': 'https',
        });
        expect(server.attributes['http.response.status_code']).toBe(status);
        expect(server.attributes).not.toHaveProperty('network.protocol.version');
        expect(await decisionLineOf(path)).toMatchObject({
          'trace.id': traceId,
          'span.id': server.spanId,
        });
      },
    );
  });

  test('a denied request has no span for the origin', async () => {
    expect(await visit('/shut/door')).toBe(403);
    const spans = await spansOf('/shut/door');
    const server = onlySpan(spans, KIND.server);
    expect(server.attributes).toMatchObject({
      'http.response.status_code': 403,
      'guard.decision': 'served',
    });
    // In the semantic conventions for HTTP spans, 4xx is not an error of the server.
    expect(server.status.code).toBe(STATUS.unset);
    expect(spans.map(({ kind }) => kind)).not.toContain(KIND.client);
  });

  test('when the origin is away, both spans have the type of the error', async () => {
    expect(await visit('/gone', { host: 'away.example' })).toBe(502);
    const spans = await spansOf('/gone');
    const client = onlySpan(spans, KIND.client);
    expect(client.status.code).toBe(STATUS.error);
    expect(client.attributes).toMatchObject({ 'error.type': 'connect' });
    const server = onlySpan(spans, KIND.server);
    expect(server.status.code).toBe(STATUS.error);
    expect(server.attributes).toMatchObject({ 'error.type': '502' });
  });

  test('every request is traced once, in each thread', async () => {
    const paths = Array.from({ length: 30 }, (_, i) => `/many/${i}`);
    await Promise.all(paths.map((path) => visit(path)));
    const traces = await Promise.all(paths.map(spansOf));
    expect(traces.map((spans) => spans.length)).toEqual(paths.map(() => 3));
    expect(new Set(traces.map(([span]) => span?.traceId)).size).toBe(30);
  });

  test('an invented method does not become the name of a span', async () => {
    const call = request(`${product.addresses.gateway}/odd`, {
      agent: false,
      method: 'PROPFIND',
      headers: curl,
    }).end();
    await once(call, 'response');
    const server = onlySpan(await spansOf('/odd'), KIND.server);
    expect(server.name).toBe('HTTP');
    expect(server.attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PROPFIND',
    });
  });
});
