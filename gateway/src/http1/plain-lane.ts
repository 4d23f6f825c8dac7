import type { Socket } from 'node:net';
import { DeadlineTicks, ticksOf } from '../base/event-loop.ts';
import { PlainRequest, readPlainHead, SectionMemory } from './plain-request.ts';
import { type AnsweredConnection, PlainResponse } from './plain-response.ts';
import type { ServerParts } from '../listen/accept.ts';

/** An unused header section is forgotten after this time, and after twice this time at the latest. */
const SECTIONS_UNUSED_MS = 30_000;

type LaneParts = Pick<ServerParts, 'handle' | 'limits' | 'isClosing'>;

/**
 * Serves connections of HTTP/1.1 while their requests are plain (plain-request.ts), as nearly all requests of
 * browsers are. At the first other request, the connection is handed over to node:http and stays there. So this code
 * can be strict.
 */
export class PlainLane {
  readonly maxHeaderBytes: number;
  readonly sections: SectionMemory;
  /** `Connection` and `Keep-Alive` of an answer after which the connection is kept. */
  readonly keepAliveFields: string;
  readonly #parts: LaneParts;
  readonly #serveByNode: (socket: Socket) => void;
  readonly #open = new Set<VisitorConnection>();
  readonly #ticks: DeadlineTicks<'first' | 'next' | 'movement'>;
  readonly #sectionTicks: number;
  #sweep: NodeJS.Timeout | undefined;

  /** `serveByNode` takes a connection as if it had been accepted just now. */
  constructor(parts: LaneParts, serveByNode: (socket: Socket) => void) {
    const { limits } = parts;
    this.#parts = parts;
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

  readonly keepsAlive = (): boolean => !this.#parts.isClosing();

  /** Takes a connection on which nothing was read yet. */
  readonly serve = (socket: Socket): void => {
    const connection = new VisitorConnection(socket, this);
    connection.deadline = this.#ticks.tickAfter('first');
    this.#open.add(connection);
    this.#sweep ??= setInterval(this.#expire, this.#parts.limits.connectionsCheckingIntervalMs);
    this.#sweep.unref();
  };

  /** Closes idle connections. While `isClosing`, a busy connection closes after its answer. */
  readonly drain = (): void => {
    for (const connection of this.#open) if (!connection.isBusy) connection.finish();
  };

  readonly cut = (): void => {
    for (const connection of this.#open) connection.destroy();
  };

  handle(req: PlainRequest, res: PlainResponse): void {
    this.#parts.handle(req, res);
  }

  /** The connection has removed its listeners. node:http gets `firstBytes` before the rest of the bytes. */
  handOver(connection: VisitorConnection, socket: Socket, firstBytes: Buffer): void {
    this.onClosed(connection);
    this.#serveByNode(socket);
    socket.unshift(firstBytes);
  }

  onIdle(connection: VisitorConnection): void {
    connection.deadline = this.#ticks.tickAfter('next');
  }

  onBusy(connection: VisitorConnection): void {
    connection.deadline = this.#ticks.tickAfter('movement');
  }

  onClosed(connection: VisitorConnection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    this.sections.clear();
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  readonly #expire = (): void => {
    const tick = ++this.#ticks.sweepCount;
    if (tick % this.#sectionTicks === 0) this.sections.forgetUnused();
    for (const connection of this.#open) {
      if (connection.deadline > tick) continue;
      if (connection.isBusy && connection.hasProgressed()) this.onBusy(connection);
      else connection.destroy();
    }
  };
}

const EMPTY: Buffer = Buffer.alloc(0);

/** One connection of a visitor. It has at most one request at a time, and all of them are plain. */
class VisitorConnection implements AnsweredConnection {
  /** The tick at which the lane checks this connection. */
  deadline = 0;
  readonly #socket: Socket;
  readonly #lane: PlainLane;
  #isBusy = false;
  /** Bytes that came after a request that is not answered yet. */
  #heldBytes = EMPTY;
  #bytesWritten = 0;

  constructor(socket: Socket, lane: PlainLane) {
    this.#socket = socket;
    this.#lane = lane;
    socket.on('data', this.#take);
    socket.on('end', this.#end);
    socket.on('error', ignore);
    socket.on('close', this.#onClose);
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  get keepsAlive(): () => boolean {
    return this.#lane.keepsAlive;
  }

  /** Whether bytes were sent since the last call. */
  hasProgressed(): boolean {
    const lastBytesWritten = this.#bytesWritten;
    this.#bytesWritten = this.#socket.bytesWritten;
    return this.#bytesWritten !== lastBytesWritten;
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
      socket.once('drain', this.#becomeIdle);
    } else {
      this.#becomeIdle();
    }
  }

  /** The connection is ready for the next request, which may be here already. */
  readonly #becomeIdle = (): void => {
    if (this.#socket.destroyed) return;
    this.#isBusy = false;
    this.#lane.onIdle(this);
    if (this.#heldBytes.length > 0) this.#handOver(this.#heldBytes);
    else if (this.#socket.isPaused()) this.#socket.resume();
  };

  readonly #take = (bytes: Buffer): void => {
    if (this.#isBusy) {
      // Pipelining: these bytes wait, and no more are read.
      this.#socket.pause();
      this.#heldBytes =
        this.#heldBytes.length === 0 ? bytes : Buffer.concat([this.#heldBytes, bytes]);
      return;
    }
    const lane = this.#lane;
    const head =
      bytes.length > lane.maxHeaderBytes ? undefined : readPlainHead(bytes, lane.sections);
    if (head === undefined) {
      this.#handOver(bytes);
      return;
    }
    this.#isBusy = true;
    lane.onBusy(this);
    const res = new PlainResponse(this.#socket, this, head.method === 'HEAD', lane.keepAliveFields);
    lane.handle(new PlainRequest(this.#socket, head), res);
  };

  /** Node, too, closes a connection when the visitor has ended its side. */
  readonly #end = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#lane.onClosed(this);
  };

  #handOver(firstBytes: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#take);
    socket.off('end', this.#end);
    socket.off('error', ignore);
    socket.off('close', this.#onClose);
    if (socket.isPaused()) socket.resume();
    this.#lane.handOver(this, socket, firstBytes);
  }
}

function ignore(): void {
  // 'close' follows and is handled elsewhere.
}
