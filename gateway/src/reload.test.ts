import { Site } from '@guard/config/settings/schema';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { GatewaySettings } from './base/options.ts';
import {
  allow,
  validateWith,
  encodeHtml,
  startGateway,
  startGatewayWithOrigin,
} from './testing/gateway-rig.ts';
import { bodyOf, waitUntil, get, RawClient, rawExchange, statusOf } from './testing/raw-client.ts';
import { type HttpOrigin, startOrigin } from './testing/recording-origin.ts';

/** Settings with one site, in the form in which a reload passes them. */
function settingsFor(
  origin: string,
  changes: {
    readonly hosts?: readonly string[];
    readonly validate?: GatewaySettings['sites'][number]['validate'];
    readonly observe?: boolean;
    readonly trustedProxies?: readonly string[];
    readonly protect?: readonly string[];
  } = {},
): GatewaySettings {
  const {
    hosts = ['shop.example'],
    validate = allow,
    observe = false,
    protect = ['/**'],
  } = changes;
  const settings = Site.parse({ hosts, organisation: 'acme', origin, observe, protect });
  return {
    trustedProxies: changes.trustedProxies ?? [],
    observe: false,
    sites: [{ settings, validate, collect: undefined, validator: 'in-process' }],
  };
}

/** One request to another host than `get` asks for. */
function getFrom(host: string, port: number): Promise<string> {
  return rawExchange(port, 'GET / HTTP/1.1', `Host: ${host}`, 'Connection: close', '', '');
}

/** Sends requests one after the other on one connection. */
class LastingVisitor {
  readonly #client: RawClient;
  #answers = 0;

  constructor(port: number) {
    this.#client = new RawClient(port);
  }

  async visit(...headers: readonly string[]): Promise<void> {
    this.#answers += 1;
    this.#client.send('GET / HTTP/1.1', 'Host: shop.example', ...headers, '', '');
    await this.#client.until(new RegExp(`(?:HTTP/1\\.1 200[^]*?\r\n\r\nhello){${this.#answers}}`));
  }
}

/** How many connections an origin has had, and how many of them are open. */
function countConnections({ server }: HttpOrigin): { opened: number; open: number } {
  const count = { opened: 0, open: 0 };
  server.on('connection', (socket) => {
    count.opened += 1;
    count.open += 1;
    socket.once('close', () => (count.open -= 1));
  });
  return count;
}

const blockAll = validateWith({
  decision: 'block',
  status_code: 403,
  response_html: encodeHtml('<p>stopped</p>'),
  headers: { 'Content-Type': 'text/html' },
});

describe('reload', () => {
  test('the next request is decided by the new validator, and an unknown host becomes known', async () => {
    const { gateway, port, origin } = await startGatewayWithOrigin();
    expect(statusOf(await get(port))).toBe(200);
    expect(statusOf(await getFrom('new.example', port))).toBe(421);
    const hosts = ['shop.example', 'new.example'];
    gateway.reload(settingsFor(origin.address, { validate: blockAll, hosts }));
    expect(statusOf(await get(port))).toBe(403);
    expect(bodyOf(await getFrom('new.example', port))).toBe('<p>stopped</p>');
  });

  test('a request that waits for its decision keeps the settings and the origin with which it began', async () => {
    const originBefore = await startOrigin();
    const originAfter = await startOrigin();
    const questionAsked = Promise.withResolvers<undefined>();
    const decision = Promise.withResolvers<Awaited<ReturnType<typeof allow>>>();
    const { gateway, port } = await startGateway({
      origin: originBefore.address,
      validate: () => {
        questionAsked.resolve(undefined);
        return decision.promise;
      },
    });
    const answer = get(port);
    await questionAsked.promise;
    gateway.reload(settingsFor(originAfter.address, { validate: blockAll }));
    decision.resolve({ kind: 'answered', response: { success: true, decision: 'allow' } });
    expect(statusOf(await answer)).toBe(200);
    expect([originBefore.requests.length, originAfter.requests.length]).toEqual([1, 0]);
  });

  test('connections to visitors stay open, and so do connections to an origin that the site keeps', async () => {
    const origin = await startOrigin();
    const connections = countConnections(origin);
    const { gateway, port } = await startGateway({ origin: origin.address });
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const visitor = new LastingVisitor(port);
    for (let round = 0; round < 20; round++) {
      gateway.reload(settingsFor(origin.address, { trustedProxies: [`192.0.2.${round}`] }));
      await visitor.visit();
    }
    expect(connections).toEqual({ opened: 1, open: 1 });
    // If each reload added a listener to the socket, Node would warn of a leak after ten.
    expect(warnings).toEqual([]);
  });

  test('new trusted_proxies also apply to open connections', async () => {
    const { gateway, port, questions, origin } = await startGatewayWithOrigin();
    const visitor = new LastingVisitor(port);
    const seenNames: string[] = [];
    const validate: typeof allow = (question, context) => {
      seenNames.push(question.ip);
      return allow(question, context);
    };
    const visit = () => visitor.visit('X-Forwarded-For: 203.0.113.7');
    await visit();
    gateway.reload(settingsFor(origin.address, { validate, trustedProxies: ['127.0.0.1'] }));
    await visit();
    gateway.reload(settingsFor(origin.address, { validate }));
    await visit();
    expect([...questions.map(({ ip }) => ip), ...seenNames]).toEqual([
      '127.0.0.1',
      '203.0.113.7',
      '127.0.0.1',
    ]);
  });

  test('an origin that no site has any more is closed after originRetireMs', async () => {
    const originBefore = await startOrigin();
    const originAfter = await startOrigin();
    const connections = countConnections(originBefore);
    const limits = { originRetireMs: 1 };
    const { gateway, port } = await startGateway({ origin: originBefore.address, limits });
    await get(port);
    expect(connections.open).toBe(1);
    gateway.reload(settingsFor(originAfter.address));
    await waitUntil(
      () => connections.open === 0,
      () => 'the connection to the origin closed',
      // This is well before the client itself would close an idle connection.
      2_000,
    );
    expect(statusOf(await get(port))).toBe(200);
    expect(originAfter.requests).toHaveLength(1);
  });
});

describe('the switches of one site', () => {
  test('sites[].observe: true asks the validator and enforces nothing', async () => {
    const { gateway, port, origin } = await startGatewayWithOrigin();
    gateway.reload(settingsFor(origin.address, { validate: blockAll, observe: true }));
    expect(statusOf(await get(port))).toBe(200);
    expect(origin.requests[0]?.headers['x-guard-decision']).toBe('observe');
  });

  test('sites[].protect: [] never asks the validator', async () => {
    const { gateway, port, origin } = await startGatewayWithOrigin();
    gateway.reload(settingsFor(origin.address, { validate: blockAll, protect: [] }));
    expect(statusOf(await get(port))).toBe(200);
    expect(origin.requests[0]?.headers['x-guard-decision']).toBe('not_matched');
  });
});
