import type { Validate } from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import { describe, expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import {
  validateWith,
  encodeHtml,
  startGateway,
  startGatewayWithOrigin,
} from '../testing/gateway-rig.ts';
import { exchange, openHttp2 } from '../testing/http2-client.ts';
import {
  waitUntil,
  get,
  headersOf,
  HANDSHAKE,
  RawClient,
  statusOf,
  SWITCHED_HEAD,
} from '../testing/raw-client.ts';
import { startTcpOrigin, startOrigin } from '../testing/recording-origin.ts';

/** An address without a listener: the port of the discard service. */
const NO_LISTENER = 'http://127.0.0.1:9';

/** Records each report as one word, in one list for each path. */
function recordTraces() {
  const traceEvents: string[] = [];
  const tracing: Tracing = ({ path }) => {
    traceEvents.push(`${path} begun`);
    return {
      decided: (decision, requestId) => traceEvents.push(`${path} ${decision} ${typeof requestId}`),
      sent: ({ host, port }, attempt) => {
        traceEvents.push(`${path} sent to ${host}:${port} #${attempt}`);
        return {
          fields: ['traceparent', `of ${path} #${attempt}`],
          replaced: new Set(['traceparent', 'tracestate']),
          answered: (status) => traceEvents.push(`${path} answered ${status}`),
          ended: (error) => traceEvents.push(`${path} back ${error ?? 'whole'}`),
        };
      },
      ended: (status) => traceEvents.push(`${path} ended ${status}`),
    };
  };
  const untilEvent = (last: string) =>
    waitUntil(
      () => traceEvents.includes(last),
      () => `waited for ${last} in ${JSON.stringify(traceEvents)}`,
    );
  return { reports: traceEvents, tracing, until: untilEvent };
}

describe('a request that is traced', () => {
  test('reports every stage once, in order, and the origin gets Guard’s trace, not the visitor’s', async () => {
    const { reports, tracing, until } = recordTraces();
    const { port, origin } = await startGatewayWithOrigin({ tracing });
    await get(port, '/a?b', 'TraceParent: forged', 'tracestate: forged', 'x-other: kept');
    await until('/a ended 200');
    const at = new URL(origin.address).host;
    expect(reports).toEqual([
      '/a begun',
      '/a allow string',
      `/a sent to ${at} #1`,
      '/a answered 200',
      '/a back whole',
      '/a ended 200',
    ]);
    const { headers, rawHeaders } = origin.requests[0] ?? expect.fail('nothing arrived');
    expect(headers['traceparent']).toBe('of /a #1');
    expect(rawHeaders.filter((name) => /^trace/i.test(name))).toEqual(['traceparent']);
    expect(headers['x-other']).toBe('kept');
  });

  test('with a repeated header section has its own trace each time', async () => {
    const { tracing, until } = recordTraces();
    const origin = await startOrigin();
    const client = new RawClient((await startGateway({ origin: origin.address, tracing })).port);
    for (const path of ['/1', '/2', '/3', '/4']) {
      client.send(`GET ${path} HTTP/1.1`, 'Host: shop.example', 'TraceParent: forged', '', '');
      await until(`${path} ended 200`);
    }
    const traces = origin.requests.map(({ rawHeaders }) =>
      rawHeaders.filter((_, i) => /^trace/i.test(rawHeaders[i - 1] ?? '')),
    );
    expect(traces).toEqual([['of /1 #1'], ['of /2 #1'], ['of /3 #1'], ['of /4 #1']]);
  });

  test('that is answered by the validator has no origin call', async () => {
    const { reports, tracing, until } = recordTraces();
    const response_html = encodeHtml('no');
    const validate = validateWith({ decision: 'block', status_code: 451, response_html });
    const { port } = await startGateway({ origin: NO_LISTENER, validate, tracing });
    await get(port, '/shut');
    await until('/shut ended 451');
    expect(reports).toEqual(['/shut begun', '/shut served undefined', '/shut ended 451']);
  });

  test('that is tried at two origins has two attempts, and the refusing origin is left out later', async () => {
    const { reports, tracing, until } = recordTraces();
    const origin = await startOrigin();
    const { port } = await startGateway({ origin: [NO_LISTENER, origin.address], tracing });
    for (const path of ['/1', '/2', '/3', '/4']) {
      expect(statusOf(await get(port, path))).toBe(200);
      await until(`${path} ended 200`);
    }
    expect(reports.filter((line) => line.endsWith('back connect'))).toHaveLength(1);
    expect(reports.filter((line) => line.endsWith('#2'))).toHaveLength(1);
  });

  test('ends without a status when the visitor leaves, and its origin call is aborted', async () => {
    const { reports, tracing, until } = recordTraces();
    const origin = await startOrigin(() => undefined);
    const { port } = await startGateway({ origin: origin.address, tracing });
    const visitor = new RawClient(port);
    visitor.send('GET /slow HTTP/1.1', 'Host: shop.example', '', '');
    await waitUntil(
      () => origin.requests.length === 1,
      () => 'the request did not arrive',
    );
    visitor.socket.destroy();
    await until('/slow ended undefined');
    expect(reports.slice(-2)).toEqual(['/slow back aborted', '/slow ended undefined']);
  });

  test('is reported in the same way over HTTP/2, also when its stream is reset', async () => {
    const { reports, tracing, until } = recordTraces();
    const origin = await startOrigin((req, res) => {
      if (req.url === '/h2') res.end('hello');
    });
    const { tlsPort } = await startGateway({ origin: origin.address, certificates, tracing });
    const session = openHttp2(tlsPort);
    expect((await exchange(session, { ':path': '/h2' })).status).toBe(200);
    await until('/h2 ended 200');
    const stream = session.request({ ':authority': 'shop.example', ':path': '/reset' });
    stream.on('error', () => undefined);
    await waitUntil(
      () => origin.requests.length === 2,
      () => 'the request did not arrive',
    );
    stream.close(8);
    await until('/reset ended undefined');
    expect(reports).toContain('/reset back aborted');
  });

  test('of a WebSocket ends with its connection', async () => {
    const { reports, tracing, until } = recordTraces();
    const origin = await startTcpOrigin((socket) => socket.write(SWITCHED_HEAD));
    const { port } = await startGateway({ origin: origin.address, tracing });
    const visitor = new RawClient(port);
    visitor.send(...HANDSHAKE);
    await visitor.until(/^HTTP\/1\.1 101 /);
    expect(reports).toEqual(['/chat begun', '/chat allow string']);
    visitor.socket.destroy();
    await until('/chat ended undefined');
  });

  test('that fails by an internal error ends with a 500', async () => {
    const { tracing, until } = recordTraces();
    const validate: Validate = () => ({ kind: 'nonsense' }) as never; // The validator returns a value that is not an outcome.
    const { port } = await startGateway({ origin: NO_LISTENER, validate, tracing });
    expect(statusOf(await get(port, '/fault'))).toBe(500);
    await until('/fault ended 500');
  });
});

describe('Server-Timing', () => {
  const TIMING_REQUESTED = 'X-Guard-Server-Timing: 1';

  test('is added to the Server-Timing of the origin', async () => {
    const origin = await startOrigin((_req, res) => {
      res.setHeader('Server-Timing', 'db;dur=53');
      res.end();
    });
    const { port } = await startGateway({ origin: origin.address });
    const values = headersOf(await get(port, '/', TIMING_REQUESTED), 'server-timing');
    expect(values[0]).toBe('db;dur=53');
    expect(values[1]).toMatch(/^guard-decide;dur=[\d.]+, guard-origin;dur=[\d.]+$/);
  });

  test('is on answers over HTTP/2, too', async () => {
    const { tlsPort } = await startGatewayWithOrigin({ certificates });
    const { headers } = await exchange(openHttp2(tlsPort), { 'x-guard-server-timing': '1' });
    expect(headers['server-timing']).toMatch(/^guard-decide;dur=/);
  });

  test('counts the time that the origin took', async () => {
    const origin = await startOrigin((_req, res) => setTimeout(() => res.end(), 60));
    const { port } = await startGateway({ origin: origin.address });
    const [value = ''] = headersOf(await get(port, '/', TIMING_REQUESTED), 'server-timing');
    expect(Number(/guard-origin;dur=([\d.]+)/.exec(value)?.[1])).toBeGreaterThan(50);
  });
});
