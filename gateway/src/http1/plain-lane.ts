import type { Socket } from 'node:net';
import { DeadlineTicks, ticksOf } from '../base/event-loop.ts';
import { PlainRequest, readPlainHead, SectionMemory } from './plain-request.ts';
import { type AnsweredConnection, PlainResponse } from './plain-response.ts';
import type { Intake } from '../listen/accept.ts';

/** An unused header section is remembered for this time at least, and for twice this time at most. */
const SECTIONS_UNUSED_MS = 30_000;

type LaneIntake = Pick<Intake, 'handle' | 'limits' | 'isClosing'>;

/**
 * Serves connections of HTTP/1.1 while what comes on them is plain (plain-request.ts), which nearly all is
 * that browsers send to a site. With the first request that is not, a connection is handed over to
 * node:http and stays there. So there is nothing to be lenient about here.
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

  /** Closes what is idle. What is busy is closed behind its answer, while `isClosing`. */
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

/** What a connection needs of the lane that it belongs to, and tells it. */
interface ConnectionLane {
  readonly maxHeaderBytes: number;
  readonly sections: SectionMemory;
  /** `Connection` and `Keep-Alive` of an answer after which the connection is kept. */
  readonly keepAliveFields: string;
  readonly keepsAlive: () => boolean;
  handle(req: PlainRequest, res: PlainResponse): void;
  /** Nothing listens to the socket any more, and `first` stands before what it will bring. */
  handOver(connection: VisitorConnection, socket: Socket, first: Buffer): void;
  onIdle(connection: VisitorConnection): void;
  onBusy(connection: VisitorConnection): void;
  onClosed(connection: VisitorConnection): void;
}

const EMPTY: Buffer = Buffer.alloc(0);

/** One connection of a visitor, with at most one request on it, as long as each of them is a plain one. */
class VisitorConnection implements AnsweredConnection {
  /** Tick at which it is looked at. The lane does. */
  deadline = 0;
  readonly #socket: Socket;
  readonly #lane: ConnectionLane;
  #busy = false;
  /** What came behind a request that is not answered yet. */
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

  /** Bytes have left since this was asked last. */
  moves(): boolean {
    const before = this.#bytesWritten;
    this.#bytesWritten = this.#socket.bytesWritten;
    return this.#bytesWritten !== before;
  }

  /** Ends it when what was written has left. A request that crosses with that is not taken. */
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

  /** Ready for the next request, which may be here already. */
  readonly #rest = (): void => {
    if (this.#socket.destroyed) return;
    this.#busy = false;
    this.#lane.onIdle(this);
    if (this.#held.length > 0) this.#handOver(this.#held);
    else if (this.#socket.isPaused()) this.#socket.resume();
  };

  readonly #take = (bytes: Buffer): void => {
    if (this.#busy) {
      // Pipelining: what is here waits, and nothing more is read.
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

  /** A visitor who sends nothing more waits for nothing either, as Node has it. */
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
  // 'close' follows and says all there is to know.
}
