import type { Socket } from 'node:net';
import { DeadlineTicks, ticksOf } from '../base/event-loop.ts';
import { PlainRequest, readPlainHead, SectionMemory } from './plain-request.ts';
import { type AnsweredConnection, PlainResponse } from './plain-response.ts';
import type { Intake } from '../listen/accept.ts';

/** An unused header section is forgotten after this time, and after twice this time at the latest. */
const SECTIONS_UNUSED_MS = 30_000;

type LaneIntake = Pick<Intake, 'handle' | 'limits' | 'isClosing'>;

/**
 * Serves connections of HTTP/1.1 while their requests are plain (plain-request.ts). Nearly all requests of browsers
 * are. At the first other request, the connection is handed over to node:http and stays there. So this code can be
 * strict.
 */
export class PlainLane implements ConnectionLane {
  readonly maxHeaderBytes: number;
  readonly sections: SectionMemory;
  readonly keepAliveFields: string;
  readonly #intake: LaneIntake;
  readonly #serveByNode: (socket: Socket) => void;
  readonly #open = new Set<VisitorConnection>();
  readonly #ticks: DeadlineTicks<'first' | 'next' | 'movement'>;
  readonly #sectionTicks: number;
  #sweep: NodeJS.Timeout | undefined;

  /** `serveByNode` takes a connection as if it had been accepted just now. */
  constructor(intake: LaneIntake, serveByNode: (socket: Socket) => void) {
    const { limits } = intake;
    this.#intake = intake;
    this.#serveByNode = serveByNode;
    this.#ticks = new DeadlineTicks(
      {
        first: limits.headersTimeoutMs,
        next: limits.keepAliveTimeoutMs,
        movement: limits.idleTimeoutMs,
      },
      limits.connectionsCheckingIntervalMs,
    );
    this.maxHeaderBytes = limits.maxHeaderBytes;
    this.sections = new SectionMemory(limits.maxHeaders);
    this.#sectionTicks = ticksOf(SECTIONS_UNUSED_MS, limits.connectionsCheckingIntervalMs);
    const timeoutS = Math.floor(limits.keepAliveTimeoutMs / 1000);
    this.keepAliveFields = `Connection: keep-alive\r\nKeep-Alive: timeout=${timeoutS}\r\n`;
  }

  readonly keepsAlive = (): boolean => !this.#intake.isClosing();

  /** Takes a connection on which nothing was read yet. */
  serve(socket: Socket): void {
    const connection = new VisitorConnection(socket, this);
    connection.deadline = this.#ticks.in('first');
    this.#open.add(connection);
    this.#sweep ??= setInterval(this.#expire, this.#intake.limits.connectionsCheckingIntervalMs);
    this.#sweep.unref();
  }

  /** Closes idle connections. While `isClosing`, a busy connection closes after its answer. */
  drain(): void {
    for (const connection of this.#open) if (!connection.isBusy) connection.finish();
  }

  /** Ends every connection that is left. */
  cut(): void {
    for (const connection of this.#open) connection.destroy();
  }

  handle(req: PlainRequest, res: PlainResponse): void {
    this.#intake.handle(req, res);
  }

  handOver(connection: VisitorConnection, socket: Socket, first: Buffer): void {
    this.onClosed(connection);
    this.#serveByNode(socket);
    socket.unshift(first);
  }

  onIdle(connection: VisitorConnection): void {
    connection.deadline = this.#ticks.in('next');
  }

  onBusy(connection: VisitorConnection): void {
    connection.deadline = this.#ticks.in('movement');
  }

  onClosed(connection: VisitorConnection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    this.sections.clear();
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  readonly #expire = (): void => {
    const now = ++this.#ticks.now;
    if (now % this.#sectionTicks === 0) this.sections.forgetUnused();
    for (const connection of this.#open) {
      if (connection.deadline > now) continue;
      if (connection.isBusy && connection.moves()) this.onBusy(connection);
      else connection.destroy();
    }
  };
}

/** The lane, as its connections see it. */
interface ConnectionLane {
  readonly maxHeaderBytes: number;
  readonly sections: SectionMemory;
  /** `Connection` and `Keep-Alive` of an answer after which the connection is kept. */
  readonly keepAliveFields: string;
  readonly keepsAlive: () => boolean;
  handle(req: PlainRequest, res: PlainResponse): void;
  /** The connection has removed its listeners. The next reader gets `first` before the rest of the bytes. */
  handOver(connection: VisitorConnection, socket: Socket, first: Buffer): void;
  onIdle(connection: VisitorConnection): void;
  onBusy(connection: VisitorConnection): void;
  onClosed(connection: VisitorConnection): void;
}

const EMPTY: Buffer = Buffer.alloc(0);

/** One connection of a visitor. It has at most one request at a time, and all of them are plain. */
class VisitorConnection implements AnsweredConnection {
  /** The tick at which the lane checks this connection. */
  deadline = 0;
  readonly #socket: Socket;
  readonly #lane: ConnectionLane;
  #busy = false;
  /** Bytes that came behind a request that is not answered yet. */
  #held = EMPTY;
  #bytesWritten = 0;

  constructor(socket: Socket, lane: ConnectionLane) {
    this.#socket = socket;
    this.#lane = lane;
    socket.on('data', this.#take);
    socket.on('end', this.#end);
    socket.on('error', ignore);
    socket.on('close', this.#closed);
  }

  get isBusy(): boolean {
    return this.#busy;
  }

  get keepsAlive(): () => boolean {
    return this.#lane.keepsAlive;
  }

  /** Whether bytes were sent since the last call. */
  moves(): boolean {
    const before = this.#bytesWritten;
    this.#bytesWritten = this.#socket.bytesWritten;
    return this.#bytesWritten !== before;
  }

  /** Ends the connection when all written bytes are sent. A request that arrives in the meantime is not served. */
  finish(): void {
    this.#socket.off('data', this.#take);
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  onAnswered(keptAlive: boolean): void {
    const socket = this.#socket;
    // A drain may have begun after the header section was written.
    if (!keptAlive || !this.#lane.keepsAlive()) {
      this.finish();
    } else if (socket.writableNeedDrain) {
      // A client that does not read its answers must not send more requests.
      socket.pause();
      socket.once('drain', this.#rest);
    } else {
      this.#rest();
    }
  }

  /** The connection is ready for the next request, which may be here already. */
  readonly #rest = (): void => {
    if (this.#socket.destroyed) return;
    this.#busy = false;
    this.#lane.onIdle(this);
    if (this.#held.length > 0) this.#handOver(this.#held);
    else if (this.#socket.isPaused()) this.#socket.resume();
  };

  readonly #take = (bytes: Buffer): void => {
    if (this.#busy) {
      // Pipelining: these bytes wait, and no more are read.
      this.#socket.pause();
      this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
      return;
    }
    const lane = this.#lane;
    const head =
      bytes.length > lane.maxHeaderBytes ? undefined : readPlainHead(bytes, lane.sections);
    if (head === undefined) {
      this.#handOver(bytes);
      return;
    }
    this.#busy = true;
    lane.onBusy(this);
    const res = new PlainResponse(this.#socket, this, head.method === 'HEAD', lane.keepAliveFields);
    lane.handle(new PlainRequest(this.#socket, head), res);
  };

  /** Node closes a connection too when the visitor has ended its side. */
  readonly #end = (): void => {
    this.#socket.destroy();
  };

  readonly #closed = (): void => {
    this.#lane.onClosed(this);
  };

  #handOver(first: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#take);
    socket.off('end', this.#end);
    socket.off('error', ignore);
    socket.off('close', this.#closed);
    if (socket.isPaused()) socket.resume();
    this.#lane.handOver(this, socket, first);
  }
}

function ignore(): void {
  // 'close' follows and is handled elsewhere.
}
