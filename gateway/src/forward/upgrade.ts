import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { createProxyServer } from 'http-proxy-3';
import { plainAnswer, serve } from '../enforce/enforce.ts';
import type { ForwardPorts } from './forward.ts';
import type { Handle } from '../handle.ts';
import { headersForOrigin } from './proxy-headers.ts';
import type { Passage, Visit } from '../visit.ts';
import { webSocketTarget } from './websocket-target.ts';

export interface Upgrades {
  /** Takes the 'upgrade' event of the server. */
  readonly handle: (req: IncomingMessage, head: Buffer) => void;
  /** Cuts every open tunnel. */
  readonly close: () => void;
}

/**
 * True for a WebSocket handshake (RFC 6455 section 4.1) and nothing else: with any other Upgrade token,
 * with a body, or behind a request that is not answered yet, a request is a plain one, and its Upgrade
 * header ends here.
 */
export function isWebSocketHandshake(req: IncomingMessage): boolean {
  const { upgrade, 'content-length': length, 'transfer-encoding': coding } = req.headers;
  return (
    req.method === 'GET' &&
    req.httpVersionMinor === 1 &&
    upgrade?.toLowerCase() === 'websocket' &&
    req.headers['sec-websocket-key'] !== undefined &&
    length === undefined &&
    coding === undefined &&
    !isAnswering(req.socket)
  );
}

/**
 * Whether an earlier request of the connection is still to be answered, on which its socket cannot be
 * taken over. Node keeps the answer there, and offers no other way to it.
 */
function isAnswering(socket: Socket): boolean {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return answer !== undefined && answer !== null;
}

interface Handshake {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** What came behind the header section. */
  readonly head: Buffer;
}

/**
 * WebSocket handshakes take the same way as any request: same site, same decision, same cleaning of
 * headers. Only what was admitted comes to http-proxy-3, which joins the two sockets.
 */
export function createUpgrades(handle: Handle, ports: ForwardPorts): Upgrades {
  const open = new Set<Socket>();
  const joins = new WeakMap<IncomingMessage, Join>();
  const proxy = createProxyServer({});
  proxy.on('proxyReqWs', (outgoing, req) => {
    joins.get(req)?.attach(outgoing);
  });

  function join({ req, res, head }: Handshake, visit: Visit, passage: Passage): void {
    const { socket } = req;
    const { site, target } = visit;
    if (open.size >= ports.limits.maxUpgrades) {
      ports.metrics.count('guard_gateway_requests_total', 'refused');
      serve(req, res, plainAnswer(503, 'Too many connections.'), ports.limits.lingerMs);
      return;
    }
    res.detachSocket(socket);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const joined = new Join(ports, visit, passage, socket);
    joins.set(req, joined);
    req.headers = handshakeHeaders(headersForOrigin(visit, passage));
    // What the library takes for the path. With `toProxy` it is left as the visitor sent it.
    req.url = target;
    const { target: origin, servername } = webSocketTarget(site.origins.next().address);
    try {
      proxy.ws(
        req,
        socket,
        head,
        {
          target: origin,
          // A new one each time: the library writes its request into it.
          ssl: { servername },
          toProxy: true,
          prependPath: false,
          connectTimeout: ports.limits.originConnectMs,
        },
        (error) => {
          joined.fail(error.message);
        },
      );
    } catch (error) {
      joined.fail(error instanceof Error ? error.message : String(error));
      socket.destroySoon();
    }
  }

  return {
    handle: (req, head) => {
      const { socket } = req;
      socket.on('error', ignore);
      const res = new ServerResponse(req);
      res.shouldKeepAlive = false;
      res.assignSocket(socket);
      res.once('finish', () => {
        socket.destroySoon();
      });
      handle(req, res, (visit, passage) => {
        join({ req, res, head }, visit, passage);
      });
    },
    close: () => {
      for (const socket of open) socket.destroy();
    },
  };
}

function ignore(): void {
  // Node took its own listener away with the upgrade; 'close' follows and says all there is to know.
}

/** One handshake at the origin, until its answer. */
class Join {
  readonly #ports: ForwardPorts;
  readonly #visit: Visit;
  readonly #passage: Passage;
  readonly #socket: Socket;
  #answered = false;

  constructor(ports: ForwardPorts, visit: Visit, passage: Passage, socket: Socket) {
    this.#ports = ports;
    this.#visit = visit;
    this.#passage = passage;
    this.#socket = socket;
  }

  /** The listeners set here run before the library's own. */
  attach(outgoing: ClientRequest): void {
    outgoing.setTimeout(this.#ports.limits.originHeadersMs, () => {
      outgoing.destroy(new Error('no answer to the handshake'));
    });
    outgoing.once('response', () => {
      this.#finish();
    });
    outgoing.once('upgrade', (answer, socket) => {
      this.#finish();
      // An origin that has said its last word still hears the visitor.
      socket.allowHalfOpen = true;
      addToHandshake(answer.headers, this.#passage.additions?.fields ?? []);
    });
    this.#socket.once('close', () => {
      if (!this.#answered) outgoing.destroy();
    });
  }

  /** The library closes the visitor's socket after this. */
  fail(detail: string): void {
    if (this.#answered) return;
    this.#answered = true;
    if (this.#socket.destroyed) {
      this.#ports.metrics.count('guard_gateway_requests_total', 'aborted');
      return;
    }
    const { site } = this.#visit;
    this.#ports.metrics.count('guard_gateway_requests_total', 'failed');
    this.#ports.metrics.count('guard_gateway_origin_errors_total', 'connect');
    this.#ports.log('warn', 'gateway_origin_failed', {
      site: site.name,
      reason: 'upgrade',
      detail,
    });
    this.#socket.write(
      'HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    );
  }

  #finish(): void {
    this.#answered = true;
    this.#ports.metrics.count('guard_gateway_requests_total', 'forwarded');
  }
}

function handshakeHeaders(fields: readonly string[]): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = {
    connection: 'Upgrade',
    upgrade: 'websocket',
  };
  addToHandshake(headers, fields);
  return headers;
}

/** Sets fields in Node's form, several of one name as a list. */
function addToHandshake(
  headers: Record<string, string | string[] | undefined>,
  fields: readonly string[],
): void {
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = (fields[i] ?? '').toLowerCase();
    const value = fields[i + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
}
