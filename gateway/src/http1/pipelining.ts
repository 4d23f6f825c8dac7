import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { GATEWAY_LIMITS, type GatewayLimits } from '../base/limits.ts';
import { plainAnswer, serveLast } from '../message/own-answer.ts';
import type { NodeResponse } from './node-response.ts';

const TOO_MANY = plainAnswer(503, 'Too many requests on one connection.', 'Retry-After', '1');

/** The requests of a connection whose answers are not sent in full. More than one means pipelining. */
interface RequestQueue {
  requests: number;
  /** The size of the header sections that wait for their turn. */
  waitingBytes: number;
  /** There was one request too many. Its answer closes the connection. */
  isFull: boolean;
}

const queues = new WeakMap<Socket, RequestQueue>();

interface Pipeline {
  readonly limits?: Pick<GatewayLimits, 'maxPipelined' | 'maxHeaderBytes' | 'lingerMs'>;
  /** Called for the request that gets 503, because too many requests of its connection wait. */
  readonly onRefused?: () => void;
}

/**
 * Calls `handle` when the earlier requests of the connection are answered. So a client that reads no answers makes Guard
 * keep only one. A request above a limit gets 503, which is the last answer of its connection.
 */
export function handleInTurn(
  req: IncomingMessage,
  res: NodeResponse,
  handle: () => void,
  { limits = GATEWAY_LIMITS, onRefused }: Pipeline = {},
): void {
  const { socket } = req;
  const queue = queueOf(socket);
  const bytes = queue.requests === 0 ? 0 : headerBytesOf(req);
  queue.requests += 1;
  queue.waitingBytes += bytes;
  res.once('close', () => {
    queue.requests -= 1;
    queue.waitingBytes -= bytes;
  });
  if (queue.isFull) {
    stopReading(socket);
  } else if (queue.requests <= limits.maxPipelined && queue.waitingBytes <= limits.maxHeaderBytes) {
    if (openAnswer(socket) === res) handle();
    else res.onTurn = () => socket.writable && handle();
  } else {
    queue.isFull = true;
    onRefused?.();
    serveLast(req, res, TOO_MANY, limits.lingerMs);
  }
}

/** The answer that a connection sends now. Node has it only in this private property. */
export function openAnswer(socket: Socket): object | undefined {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return typeof answer === 'object' && answer !== null ? answer : undefined;
}

function queueOf(socket: Socket): RequestQueue {
  let queue = queues.get(socket);
  if (queue === undefined) {
    queue = { requests: 0, waitingBytes: 0, isFull: false };
    queues.set(socket, queue);
  }
  return queue;
}

function headerBytesOf({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}

/**
 * Reads no further request. A pause of the socket is not enough: the parser would read all requests of the bytes that
 * it has, and Node would keep each of them until the connection closes. Node's parser has no public way to stop. It
 * stops when `onIncoming` returns 2, which means that the connection changes its protocol. Node hands such a connection
 * over only when `upgrade` is true.
 */
function stopReading(socket: Socket): void {
  socket.pause();
  const parser: unknown = Reflect.get(socket, 'parser');
  if (parser instanceof Object) Reflect.set(parser, 'onIncoming', stopParser);
}

function stopParser(req: IncomingMessage & { upgrade?: boolean }): number {
  req.upgrade = false;
  return 2;
}
