import { expect, test } from 'vitest';
import {
  validateWith,
  GUARD_COOKIE,
  encodeHtml,
  type RigOptions,
  startGateway,
  startGatewayWithOrigin,
} from '../testing/gateway-rig.ts';
import {
  bodyOf,
  waitUntil,
  HANDSHAKE,
  webSocketRequest,
  headersOf,
  rawExchange,
  RawClient,
  statusOf,
  SWITCHED_HEAD,
} from '../testing/raw-client.ts';
import { startTcpOrigin } from '../testing/recording-origin.ts';

/** A gateway, and an origin that accepts every handshake and sends back every byte. */
async function startEcho(options: Partial<RigOptions> = {}) {
  const origin = await startTcpOrigin((socket, head) => {
    const end = head.indexOf('\r\n\r\n') + 4;
    if (end < 4) return;
    socket.write(SWITCHED_HEAD + head.slice(end));
    socket.removeAllListeners('data').pipe(socket);
  });
  return { ...(await startGateway({ origin: origin.address, ...options })), origin };
}

/** Opens a tunnel, and returns the visitor's side. */
async function openTunnel(port: number): Promise<RawClient> {
  const client = new RawClient(port);
  client.send(...HANDSHAKE);
  await client.until(/ 101 [^]*\r\n\r\n/);
  return client;
}

test('RFC 6455: frames go both ways, also frames that were sent with the handshake', async () => {
  const { port, questions, counterValue, origin } = await startEcho();
  const client = new RawClient(port);
  const handshake = webSocketRequest('/%2e%2e/chat?x=1?').with(
    2,
    'Connection: keep-alive, Upgrade',
  );
  client.send(...handshake.with(-1, 'early'));
  const received = await client.until(/\r\n\r\nearly/);
  expect(statusOf(received)).toBe(101);
  expect(headersOf(received, 'sec-websocket-accept')).toEqual(['s3pPLMBiTxaQ9kYGzzhZRbK+xOo=']);
  client.send('more');
  await client.until(/earlymore/);
  expect(questions[0]?.url).toBe('http://shop.example/%2e%2e/chat?x=1?');
  // The validator and the origin get the same path.
  expect(origin.bytes[0]).toMatch(/^GET \/%2e%2e\/chat\?x=1\? HTTP\/1\.1\r\n/);
  expect(counterValue('guard_gateway_requests_total', 'forwarded')).toBe(1);
});

test('the same header fields are removed from a handshake as from any request', async () => {
  const { port, origin } = await startEcho();
  const client = new RawClient(port);
  const forgedFields = [
    'X_Guard_Decision: allow',
    'X-Forwarded-For: 6.6.6.6',
    'Proxy-Authorization: x',
  ];
  client.send(...webSocketRequest('/', ...forgedFields, 'Cookie: a=1'));
  await client.until(/ 101 /);
  const head = origin.bytes[0] ?? '';
  expect(headersOf(head, 'x-guard-decision')).toEqual(['allow']);
  expect(headersOf(head, 'x-forwarded-for')).toEqual(['127.0.0.1']);
  expect(headersOf(head, 'cookie')).toEqual(['a=1']);
  expect(headersOf(head, 'host')).toEqual(['shop.example']);
  expect(head).not.toMatch(/^[^:]*(?:guard_|proxy)[^:]*:/im);
});

test('RFC 9110 10.1.1: a handshake with Expect reaches the origin', async () => {
  const { port } = await startEcho();
  const client = new RawClient(port);
  client.send(...webSocketRequest('/chat', 'Expect: 100-continue', 'Trailer: x').with(-1, 'early'));
  expect(statusOf(await client.until(/\r\n\r\nearly/))).toBe(101);
});

test('contract 4.1 rule 2: cookies of an allow are added to the answer to the handshake', async () => {
  const { port } = await startEcho({ validate: validateWith({ cookies: [GUARD_COOKIE] }) });
  const { receivedText } = await openTunnel(port);
  expect(headersOf(receivedText, 'set-cookie')).toEqual([
    '_guard=v; Path=/; Max-Age=60; SameSite=Lax',
  ]);
});

test('a denied handshake gets an ordinary answer, and does not reach the origin', async () => {
  const block = validateWith({ decision: 'block', response_html: encodeHtml('no') });
  const { port, origin } = await startEcho({
    validate: async (...question) => {
      await Promise.resolve();
      return block(...question);
    },
  });
  const answer = await rawExchange(port, ...HANDSHAKE);
  expect(statusOf(answer)).toBe(403);
  expect(headersOf(answer, 'cache-control')).toEqual(['no-store']);
  expect(bodyOf(answer)).toBe('no');
  expect(origin.bytes).toEqual([]);
});

test('an unknown host, the collector’s paths and absolute-form nonsense are refused for handshakes too', async () => {
  const { port, origin } = await startEcho();
  const statusFor = async (lines: readonly string[]) => statusOf(await rawExchange(port, ...lines));
  expect(await statusFor(HANDSHAKE.with(1, 'Host: other.example'))).toBe(421);
  expect(await statusFor(webSocketRequest('/.guard/x'))).toBe(404);
  expect(await statusFor(webSocketRequest('http://a:99999/'))).toBe(400);
  expect(origin.bytes).toEqual([]);
});

test('a handshake with a body is an ordinary request', async () => {
  const { port, origin } = await startGatewayWithOrigin();
  const smuggledRequest = 'GET /admin HTTP/1.1\r\nHost: shop.example\r\n\r\n';
  const client = new RawClient(port);
  client.send(
    ...webSocketRequest('/', `Content-Length: ${smuggledRequest.length}`).with(-1, smuggledRequest),
  );
  await client.until(/hello/);
  await waitUntil(() => origin.requests.length === 1);
  expect(origin.requests[0]?.body).toBe(smuggledRequest);
});

test('RFC 6455 7.4.1: a gateway that closes sends 1001 to both sides, and a visitor who leaves ends the origin’s side', async () => {
  const { gateway, port, origin } = await startEcho();
  const [first, second] = [await openTunnel(port), await openTunnel(port)];
  first.socket.destroy();
  const [one, other] = origin.sockets;
  await waitUntil(() => one?.closed === true);
  let loggedText = '';
  other?.on('data', (part: Buffer) => (loggedText += part.toString('latin1')));
  await gateway.close();
  expect(await second.untilClosed()).toMatch(/\r\n\r\n\x88\x02\x03\xe9$/);
  await waitUntil(() => other?.closed === true);
  // The gateway is a client here, so it masks the frame.
  expect(loggedText).toBe('\x88\x82\0\0\0\0\x03\xe9');
});

test('a tunnel whose visitor reads nothing does not keep a gateway from closing', async () => {
  const { gateway, port, origin } = await startEcho({ limits: { drainMs: 50 } });
  const client = await openTunnel(port);
  client.socket.pause();
  const [far] = origin.sockets;
  far?.write(Buffer.alloc(16 * 1024 * 1024));
  await gateway.close();
  await waitUntil(() => far?.closed === true);
});
