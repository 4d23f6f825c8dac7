import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { certificates, FRONTS, wholeVisit } from '../testing/fronts.ts';
import { startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { waitUntil, RawClient, webSocketRequest } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

/** Fields that frameworks, their plug-ins and PHP programs read as address, host or scheme of a request. */
const CLAIMS = `
  Client-IP X-Forwarded Forwarded-For Forwarded-Host Forwarded-Proto X-Forward-For X-Cluster-Client-Ip
  True-Client-IP X-Client-IP X-Real-IP X-Remote-Addr X-Originating-IP X-ProxyUser-Ip Proxy-Client-IP
  WL-Proxy-Client-IP Fastly-Client-IP Fastly-SSL Fly-Client-IP Fly-Forwarded-Port X-Appengine-User-IP
  X-Azure-ClientIP X-Azure-SocketIP CF-Connecting-IP CF-Connecting-IPv6 CF-Visitor DO-Connecting-IP
  X-Original-Forwarded-For X-Vercel-Forwarded-For X-Envoy-External-Address X-NF-Client-Connection-IP
  X-Forwarded-Server X-Forwarded-Prefix X-Forwarded-Port X-Forwarded-Ssl X-Forwarded-Method X-Forwarded-Uri
  X-Host X-HTTP-Host-Override X-Original-Host X-Original-URL X-Original-Method X-Rewrite-URL
  Front-End-Https X-Scheme X-Url-Scheme`
  .trim()
  .split(/\s+/);
const OVERRIDES = ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'];
const MINE = 'mine';
const PROXY = '127.0.0.2';

/** Header fields with these names and any value. */
function fieldsOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, MINE]));
}

function withUnderscores(names: readonly string[]): string[] {
  return names.map((name) => name.replaceAll('-', '_'));
}

const KEPT_NAME = 'X-Kept';
const ALL_NAMES = [...CLAIMS, ...OVERRIDES, KEPT_NAME];

test.each(FRONTS)(
  'over %s the claims of a visitor about address, host, scheme and method do not reach the origin',
  async (front) => {
    const { origin, ...rig } = await startGatewayWithOrigin({ certificates });
    await wholeVisit(front, rig, { headers: fieldsOf(ALL_NAMES) });
    await wholeVisit(front, rig, { headers: fieldsOf(withUnderscores(ALL_NAMES)) });
    const arrivedNames = origin.requests.map(({ headers }) =>
      Object.keys(headers).filter((name) => headers[name] === MINE),
    );
    expect(arrivedNames).toEqual([['x-kept'], ['x_kept']]);
  },
);

test('the claims of a WebSocket handshake do not reach the origin either', async () => {
  const origin = await startOrigin();
  let arrivedNames: readonly string[] = [];
  origin.server.on('upgrade', ({ rawHeaders }, socket) => {
    arrivedNames = rawHeaders.filter((_, i) => rawHeaders[i + 1] === MINE);
    socket.end('HTTP/1.1 403 No\r\nConnection: close\r\n\r\n');
  });
  const client = new RawClient((await startGateway({ origin: origin.address })).port);
  const fieldLines = [...ALL_NAMES, ...withUnderscores(CLAIMS)].map((name) => `${name}: ${MINE}`);
  client.send(...webSocketRequest('/', ...fieldLines));
  await client.untilClosed();
  expect(arrivedNames).toEqual([KEPT_NAME]);
});

test('the claims of a trusted proxy reach the origin in its own spelling, but not its fields with another method', async () => {
  const { origin, ...rig } = await startGatewayWithOrigin({ trustedProxies: [PROXY] });
  const socket = connect({ port: rig.port, host: '127.0.0.1', localAddress: PROXY });
  const client = new RawClient(socket);
  const fieldNames = [...ALL_NAMES, ...withUnderscores(['Client-IP', 'CF-Connecting-IP'])];
  client.send(
    'GET / HTTP/1.1',
    'Host: shop.example',
    ...fieldNames.map((name) => `${name}: ${MINE}`),
    '',
    '',
  );
  await waitUntil(() => origin.requests.length === 1);
  const { rawHeaders = [] } = origin.requests[0] ?? {};
  expect(rawHeaders.filter((_, i) => rawHeaders[i + 1] === MINE)).toEqual([...CLAIMS, KEPT_NAME]);
});

test('keep_method_override keeps the fields with another method, from the next request after a reload', async () => {
  const { origin, ...rig } = await startGatewayWithOrigin();
  const client = new RawClient(rig.port);
  const ask = async (path: string) => {
    client.send(`GET ${path} HTTP/1.1`, 'Host: shop.example', `X_Method-Override: ${MINE}`, '', '');
    await waitUntil(() => origin.requests.at(-1)?.url === path);
    return origin.requests.at(-1)?.headers['x_method-override'];
  };
  const setTo = (keepsMethodFields: boolean) => {
    const sites = rig.settings.sites.map((site) => ({
      ...site,
      settings: { ...site.settings, keep_method_override: keepsMethodFields },
    }));
    rig.gateway.reload({ ...rig.settings, sites });
  };
  // From the second time on, the section and its fields for the origin are remembered.
  for (const path of ['/1', '/2', '/3']) expect(await ask(path)).toBeUndefined();
  setTo(true);
  for (const path of ['/4', '/5']) expect(await ask(path)).toBe(MINE);
  setTo(false);
  expect(await ask('/6')).toBeUndefined();
});
