import type { Socket } from 'node:net';
import { DeadlineTicks, ticksOf } from '../base/deadline-ticks.ts';
import type { Intake } from '../listen/intake.ts';
import type { PlainRequest } from './plain-request.ts';
import type { PlainResponse } from './plain-response.ts';
import { SectionMemory } from './section-memory.ts';
import { type LaneOwner, VisitorConnection } from './visitor-connection.ts';

/** A header section that nobody sends any more is remembered for so long, and at most twice as long. */
const SECTIONS_UNUSED_MS = 30_000;

export type LaneIntake = Pick<Intake, 'handle' | 'limits' | 'isClosing'>;

/**
 * Serves connections of HTTP/1.1 while what comes on them is plain (plain-head.ts), which nearly all is
 * that browsers send to a site. With the first request that is not, a connection is handed over to
 * node:http and stays there. So there is nothing to be lenient about here.
 */
export class PlainLane implements LaneOwner {
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
