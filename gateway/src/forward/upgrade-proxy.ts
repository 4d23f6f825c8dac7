import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createProxyServer } from 'http-proxy-3';

/**
 * Calls `callback` exactly once, with a connection to an origin or with an error. The call can come before `Connect`
 * returns.
 */
export type Connect = (callback: (error: Error | null, socket?: Socket) => void) => void;

/** Sends a 101 with these fields, names and values in turn, to the visitor, and carries bytes both ways. */
export type Join = (fields: readonly string[]) => void;

/** The events of the request that carries a handshake to an origin. */
interface UpgradeEvents {
  /** The origin says that it switches. Nothing has gone to the visitor yet. */
  readonly onSwitch: (answer: IncomingMessage, socket: Socket, join: Join) => void;
  /** The origin answers with another status than 101, or with a 101 that names no protocol. */
  readonly onAnswer: (answer: IncomingMessage) => void;
  readonly onError: (error: Error) => void;
}

interface UpgradeRequest extends UpgradeEvents {
  /** The visitor's request. Its socket becomes the visitor's side of the tunnel. */
  readonly req: IncomingMessage;
  /** Sent as the request target, character for character. */
  readonly path: string;
  /** The header fields: names and values in turn. Fields of one name keep their order. */
  readonly fields: readonly string[];
  readonly connect: Connect;
  /** Bound of the answer's header section in bytes. */
  readonly maxHeaderBytes: number;
}

/** Node's types require a socket even with an error. Node does not use it. */
const UNUSED_SOCKET = new Duplex();

/** The library gets its connection from an agent. This agent opens a connection to an origin of the site. */
class PoolAgent extends Agent {
  readonly #connect: Connect;

  constructor(connect: Connect) {
    super({ keepAlive: false });
    this.#connect = connect;
  }

  override createConnection(
    _options: unknown,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#connect((error, socket) => callback?.(error, socket ?? UNUSED_SOCKET));
  }
}

/** A placeholder for the host. It is never resolved. The agent knows the origins, and whether they use TLS. */
const PLACEHOLDER_TARGET = { protocol: 'http:', host: 'origin', port: 80 };

const NO_BYTES = Buffer.alloc(0);

/** The only field that the library may see. With an `Expect`, Node would send the request too early. */
const UPGRADE_FIELD_ONLY: PropertyDescriptorMap = { headers: { value: { upgrade: 'websocket' } } };

const proxy = createProxyServer({ target: PLACEHOLDER_TARGET, toProxy: true, prependPath: false });
const fieldSetters = new WeakMap<IncomingMessage, (originRequest: ClientRequest) => void>();

proxy.on('proxyReqWs', (originRequest, req) => fieldSetters.get(req)?.(originRequest));
// The library throws when its errors have no listener. The errors of a handshake go to onError.
proxy.on('error', () => undefined);

/**
 * Sends one WebSocket handshake with http-proxy-3. The library makes the request and carries the tunnel. Our code
 * passes on each answer that refuses the handshake. The library would relay such an answer without back-pressure and
 * with its own framing. After an error the library would close the visitor's connection without an answer.
 */
export function sendUpgrade(request: UpgradeRequest): ClientRequest {
  const { req, path, onSwitch, onAnswer, onError } = request;
  let createdRequest: ClientRequest | undefined;
  // The library must not copy the visitor's fields. The origin gets `fields` instead.
  const restrictedReq = Object.create(req, UPGRADE_FIELD_ONLY) as IncomingMessage;
  fieldSetters.set(restrictedReq, (originRequest) => {
    createdRequest = originRequest;
    originRequest.path = path;
    for (const name of originRequest.getHeaderNames()) originRequest.removeHeader(name);
    for (const [name, values] of Object.entries(groupByName(request.fields)))
      originRequest.setHeader(name, values);
  });
  proxy.ws(restrictedReq, req.socket, NO_BYTES, {
    agent: new PoolAgent(request.connect),
    ssl: { maxHeaderSize: request.maxHeaderBytes },
  });
  if (createdRequest === undefined) throw new Error('http-proxy-3 made no request');
  const sentRequest = createdRequest;
  // The library adds its listeners before it returns. So this line removes only the library's listeners. No event has
  // come yet.
  const joins = sentRequest.listeners('upgrade');
  sentRequest
    .removeAllListeners('upgrade')
    .removeAllListeners('response')
    .removeAllListeners('error');
  sentRequest.on('error', onError);
  sentRequest.once('response', onAnswer);
  sentRequest.once('upgrade', (answer, socket, head) => {
    // The declared type is Duplex, but the agent opens only sockets.
    onSwitch(answer, socket, (fields) => {
      answer.headers = groupByName(fields);
      for (const join of joins) Reflect.apply(join, sentRequest, [answer, socket, head]);
    });
  });
  return sentRequest;
}

/** The library and Node keep fields by name. All fields of one name get the position and spelling of the first one. */
function groupByName(fields: readonly string[]): Record<string, string[]> {
  const groups = new Map<string, [name: string, values: string[]]>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    const [, values] = groups.get(name.toLowerCase()) ?? [name, []];
    if (values.length === 0) groups.set(name.toLowerCase(), [name, values]);
    values.push(fields[i + 1] ?? '');
  }
  return Object.fromEntries(groups.values());
}
