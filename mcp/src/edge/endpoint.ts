import { METHODS } from 'node:http';
import { isLoopbackHost } from '@guard/config/net/special-address';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AddressBudget } from './address-budget.ts';
import type { Ask } from './bridge.ts';
import { encodeReply, parseMessage, PROTOCOL_VERSION, rpcErrors } from './json-rpc.ts';
import type { Message, Reply, RequestId } from './json-rpc.ts';

const CALLER = 'mcpCaller';
const OTHER_REVISION =
  `This server speaks MCP revision ${PROTOCOL_VERSION}: ` +
  'send that in Mcp-Protocol-Version, or leave the header out.';

interface EndpointOptions<Caller> {
  readonly maxBodyBytes: number;
  /** Who may ask, by the Authorization header; undefined is answered with 401 before anything else. */
  readonly admit: (authorization: string | undefined) => Caller | undefined;
  /** Host and port whose web pages may ask, beside those of this machine; undefined for none. */
  readonly ownHost?: () => string | undefined;
  /** How much one address may ask; absent where callers are known by their key. */
  readonly budget?: AddressBudget;
  readonly ask: Ask<Caller>;
}

/**
 * MCP's Streamable HTTP transport without its optional half: `POST /mcp`, one JSON answer a request,
 * no stream, no session (contract 4.4). A JSON-RPC error travels with HTTP 200; the other statuses are
 * 202 for a notification, 401, 405 and 413 (contract 7.3, 7.4), 403 for a foreign web page and 400 for
 * another revision (revision 2025-06-18, transports), and 429 above the budget of an address.
 *
 * Changes parsers, hooks and error handling of `app`, so `app` must be a plugin's own scope.
 */
export function mountEndpoint<Caller>(
  app: FastifyInstance,
  options: EndpointOptions<Caller>,
): void {
  const { maxBodyBytes, admit, ask } = options;
  app.removeAllContentTypeParsers();
  // The body is judged by what it is: a client that forgets its Content-Type is still understood.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    // Fastify's own refusals (413, a length that lies, a malformed Content-Type) carry a 4xx.
    const { statusCode = 500 } = error;
    return reply.code(statusCode).send();
  });
  app.decorateRequest(CALLER);

  app.route({
    method: everyMethod(app),
    url: '/mcp',
    bodyLimit: maxBodyBytes,
    onRequest: async (request, reply) => {
      const caller = admit(request.headers.authorization);
      if (caller === undefined) {
        return reply.code(401).header('www-authenticate', 'Bearer').send();
      }
      if (request.method !== 'POST') return reply.code(405).header('allow', 'POST').send();
      const { origin } = request.headers;
      if (origin !== undefined && isForeignOrigin(origin, options.ownHost?.())) {
        return reply.code(403).send();
      }
      const waitMs = options.budget?.take(request.ip) ?? 0;
      if (waitMs > 0) {
        return reply
          .code(429)
          .header('retry-after', Math.ceil(waitMs / 1000))
          .send();
      }
      request.setDecorator(CALLER, caller);
    },
    handler: (request, reply) => answer(request, reply, ask, request.getDecorator<Caller>(CALLER)),
  });
}

async function answer<Caller>(
  request: FastifyRequest,
  reply: FastifyReply,
  ask: Ask<Caller>,
  caller: Caller,
): Promise<FastifyReply> {
  const message = parseMessage(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
  const send = (id: RequestId | null, replied: Reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('application/json')
      .send(encodeReply(id, replied));
  const refuse = (id: RequestId | null, code: number, problem: string) =>
    send(id, { kind: 'error', code, message: problem });
  if (isOfOtherRevision(message, request.headers['mcp-protocol-version'])) {
    return reply.code(400).type('text/plain').send(OTHER_REVISION);
  }

  switch (message.kind) {
    case 'notification':
      return reply.code(202).send();
    case 'unparsable':
      return refuse(null, rpcErrors.parse_error, 'The body is not valid JSON.');
    case 'invalid':
      return refuse(message.id, rpcErrors.invalid_request, message.problem);
    case 'request':
      return send(message.id, await ask(message, caller, whileConnected(reply)));
  }
}

/** Of `initialize` the header says nothing: there the revision is still to be agreed on, in the body. */
function isOfOtherRevision(message: Message, header: string | string[] | undefined): boolean {
  switch (message.kind) {
    case 'unparsable':
    case 'invalid':
      return false;
    case 'request':
    case 'notification':
      return header !== undefined && header !== PROTOCOL_VERSION && message.method !== 'initialize';
  }
}

/** Aborts when the connection closes before the answer was written. */
function whileConnected(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/**
 * Every method Node can parse, so that each gets its 405: fastify answers 404 to a method that it was
 * never told of. CONNECT never reaches a route.
 */
function everyMethod(app: FastifyInstance): string[] {
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of methods) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  return methods;
}

/**
 * True when an Origin header names a web page that is neither on this machine nor on `ownHost`.
 * Streamable HTTP (revision 2025-06-18, transports, "Security Warning") asks servers to refuse those:
 * a page whose name was rebound to this address must not talk to it from a visitor's browser. Clients that are no
 * web page send no Origin, or one of a scheme of their own, which no name can be rebound to.
 */
function isForeignOrigin(origin: string, ownHost: string | undefined): boolean {
  // A sandboxed frame hides whose page it is.
  if (origin === 'null' || !URL.canParse(origin)) return true;
  const { protocol, host, hostname } = new URL(origin);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return !isLoopbackHost(hostname) && host !== ownHost;
}
