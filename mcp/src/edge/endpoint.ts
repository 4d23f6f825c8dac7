import { METHODS } from 'node:http';
import { isLoopbackHost } from '@guard/config/net/special-address';
import { endWait, goneSignal } from '@guard/config/net/waiting-caller';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AddressBudget } from './address-budget.ts';
import type { Ask } from './bridge.ts';
import { encodeReply, parseMessage, PROTOCOL_VERSION, rpcErrors } from './json-rpc.ts';
import type { Message, Reply, RequestId } from './json-rpc.ts';

const CALLER_PROPERTY = 'mcpCaller';
const OTHER_REVISION_TEXT =
  `This server speaks MCP revision ${PROTOCOL_VERSION}: ` +
  'send that in Mcp-Protocol-Version, or leave the header out.';

interface EndpointOptions<Caller> {
  readonly maxBodyBytes: number;
  /** Finds the caller by the Authorization header. Undefined leads to 401 before any other check. */
  readonly admit: (authorization: string | undefined) => Caller | undefined;
  /** The host and port of this server. Its web pages may send requests, and pages of this machine too. */
  readonly ownHost?: () => string | undefined;
  /** The budget of each address. Undefined when callers have a key. */
  readonly budget?: AddressBudget;
  readonly ask: Ask<Caller>;
}

/**
 * MCP's Streamable HTTP transport without its optional parts: `POST /mcp`, one JSON answer for each request, no stream,
 * no session (contract 4.4). A JSON-RPC error has the HTTP status 200. The other statuses are 202 for a notification,
 * 401, 405 and 413 (contract 7.3, 7.4), 403 for a foreign web page, 400 when the caller asks for another MCP revision
 * (MCP specification 2025-06-18, page Transports), and 429 above the budget of an address.
 *
 * It changes the parsers, the decorators, the methods and the error handling of `app`, so pass the instance of its own
 * plugin.
 */
export function mountEndpoint<Caller>(
  app: FastifyInstance,
  options: EndpointOptions<Caller>,
): void {
  const { maxBodyBytes, admit, ask } = options;
  app.removeAllContentTypeParsers();
  // Any Content-Type is accepted, because some clients do not send it. The body itself is parsed strictly.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, callback) => {
    callback(null, body);
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    // Errors of fastify itself have a 4xx status. Examples: a body that is too large (413), a wrong length, a malformed
    // Content-Type.
    const { statusCode = 500 } = error;
    return reply.code(statusCode).send();
  });
  app.decorateRequest(CALLER_PROPERTY);

  app.route({
    method: allowEveryMethod(app),
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
      request.setDecorator(CALLER_PROPERTY, caller);
    },
    handler: (request, reply) =>
      answerRequest(request, reply, ask, request.getDecorator<Caller>(CALLER_PROPERTY)),
  });
}

async function answerRequest<Caller>(
  request: FastifyRequest,
  reply: FastifyReply,
  ask: Ask<Caller>,
  caller: Caller,
): Promise<FastifyReply> {
  const message = parseMessage(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
  const send = (id: RequestId | null, rpcReply: Reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('application/json')
      .send(encodeReply(id, rpcReply));
  const refuse = (id: RequestId | null, code: number, problem: string) =>
    send(id, { kind: 'error', code, message: problem });
  if (isOfOtherRevision(message, request.headers['mcp-protocol-version'])) {
    return reply.code(400).type('text/plain').send(OTHER_REVISION_TEXT);
  }

  switch (message.kind) {
    case 'notification':
      return reply.code(202).send();
    case 'unparsable':
      return refuse(null, rpcErrors.parse_error, 'The body is not valid JSON.');
    case 'invalid':
      return refuse(message.id, rpcErrors.invalid_request, message.problem);
    case 'request': {
      const answer = await ask(message, caller, goneSignal(reply.raw));
      endWait(reply.raw);
      return send(message.id, answer);
    }
  }
}

/** The field is not checked for `initialize`, because the body of `initialize` negotiates the revision. */
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

/**
 * Allows all methods that Node can parse, and returns them. For a method without a route, fastify answers 404 and not
 * 405. CONNECT never reaches a route.
 */
function allowEveryMethod(app: FastifyInstance): string[] {
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of methods) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  return methods;
}

/**
 * True when an Origin header names a web page that is neither on this machine nor on `ownHost`. Servers must refuse
 * such pages (MCP specification 2025-06-18, page Transports, "Security Warning"): by DNS rebinding, a foreign page in a
 * person's browser could use this server. Clients that are no browser send no Origin, or an Origin with their own
 * scheme. Such an Origin cannot be rebound.
 */
function isForeignOrigin(origin: string, ownHost: string | undefined): boolean {
  // A page in a sandboxed frame sends the Origin `null`. It is a foreign page.
  if (origin === 'null' || !URL.canParse(origin)) return true;
  const { protocol, host, hostname } = new URL(origin);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return !isLoopbackHost(hostname) && host !== ownHost;
}
