import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createProxyServer } from 'http-proxy-3';

/** Gives a connection to an origin, or an error, exactly once. It may do so before it returns. */
export type Connect = (done: (error: Error | null, socket?: Socket) => void) => void;

/** Sends a 101 with these fields, names and values in turn, to the visitor, and carries bytes both ways. */
export type Join = (fields: readonly string[]) => void;

/** What happens to the one request that carries a handshake to an origin. */
export interface UpgradeEvents {
  /** The origin says that it switches. Nothing has gone to the visitor yet. */
  readonly onSwitch: (answer: IncomingMessage, socket: Socket, join: Join) => void;
  /** The origin answers with another status than 101, or with a 101 that names no protocol. */
  readonly onAnswer: (answer: IncomingMessage) => void;
  readonly onError: (error: Error) => void;
}

export interface UpgradeRequest extends UpgradeEvents {
  /** The visitor's request. Its socket becomes the visitor's side of the tunnel. */
  readonly req: IncomingMessage;
  /** Sent as the request target, character for character. */
  readonly path: string;
  /** Names and values in turn. Fields of one name keep their order. */
  readonly fields: readonly string[];
  readonly connect: Connect;
  /** Bound of the answer's header section in bytes. */
  readonly maxHeaderBytes: number;
}

/** What Node's types ask for beside an error. Node does not look at it. */
const NO_SOCKET = new Duplex();

/** The library takes its connection from an agent, and ours takes it from the site's pool of origins. */
class PoolAgent extends Agent {
  readonly #connect: Connect;

  constructor(connect: Connect) {
    super({ keepAlive: false });
    this.#connect = connect;
  }

  override createConnection(
    _options: unknown,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#connect((error, socket) => done?.(error, socket ?? NO_SOCKET));
  }
}

/** Never looked up: the agent knows where the origins are, and whether they speak TLS. */
const TARGET = { protocol: 'http:', host: 'origin', port: 80 };

const NOTHING = Buffer.alloc(0);

/** What the library looks at of a visitor's fields. Node sends a request that says `Expect` before it can be shaped. */
const SHOWN: PropertyDescriptorMap = { headers: { value: { upgrade: 'websocket' } } };

const proxy = createProxyServer({ target: TARGET, toProxy: true, prependPath: false });
const shaping = new WeakMap<IncomingMessage, (sent: ClientRequest) => void>();

proxy.on('proxyReqWs', (sent, req) => shaping.get(req)?.(sent));
// The library throws when it has no listener of its own errors. Those of a handshake reach onError.
proxy.on('error', () => undefined);

/**
 * Sends one WebSocket handshake with http-proxy-3. The library makes the request and carries the tunnel.
 * Answers that refuse stay ours: the library would relay them without back-pressure, with framing of its
 * own, and would close the visitor's connection on each error without an answer.
 */
export function sendUpgrade(request: UpgradeRequest): ClientRequest {
  const { req, path, onSwitch, onAnswer, onError } = request;
  let made: ClientRequest | undefined;
  // The library must not copy the visitor's fields. `fields` has the ones for the origin.
  const shown = Object.create(req, SHOWN) as IncomingMessage;
  shaping.set(shown, (sent) => {
    made = sent;
    sent.path = path;
    for (const name of sent.getHeaderNames()) sent.removeHeader(name);
    for (const [name, values] of Object.entries(byName(request.fields)))
      sent.setHeader(name, values);
  });
  proxy.ws(shown, req.socket, NOTHING, {
    agent: new PoolAgent(request.connect),
    ssl: { maxHeaderSize: request.maxHeaderBytes },
  });
  if (made === undefined) throw new Error('http-proxy-3 made no request');
  const sent = made;
  // The library listens before it returns, so these are its own listeners, and nothing has happened yet.
  const joins = sent.listeners('upgrade');
  sent.removeAllListeners('upgrade').removeAllListeners('response').removeAllListeners('error');
  sent.on('error', onError);
  sent.once('response', onAnswer);
  sent.once('upgrade', (answer, socket, head) => {
    // The agent gave it to the request, and gives nothing but sockets.
    onSwitch(answer, socket, (fields) => {
      answer.headers = byName(fields);
      for (const join of joins) Reflect.apply(join, sent, [answer, socket, head]);
    });
  });
  return sent;
}

/** The library and Node keep fields by name: one that comes twice goes where it came first, as it was spelled there. */
function byName(fields: readonly string[]): Record<string, string[]> {
  const found = new Map<string, [name: string, values: string[]]>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    const [, values] = found.get(name.toLowerCase()) ?? [name, []];
    if (values.length === 0) found.set(name.toLowerCase(), [name, values]);
    values.push(fields[i + 1] ?? '');
  }
  return Object.fromEntries(found.values());
}
