import type { Socket } from 'node:net';
import { readPlainHead } from './plain-head.ts';
import { PlainRequest } from './plain-request.ts';
import { type AnswerOwner, PlainResponse } from './plain-response.ts';
import type { SectionMemory } from './section-memory.ts';

/** What a connection tells, and asks, the lane that it belongs to. */
export interface LaneOwner {
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
export class VisitorConnection implements AnswerOwner {
  /** Tick at which it is looked at. The lane does. */
  deadline = 0;
  readonly #socket: Socket;
  readonly #owner: LaneOwner;
  #busy = false;
  /** What came behind a request that is not answered yet. */
  #held = EMPTY;
  #bytesWritten = 0;

  constructor(socket: Socket, owner: LaneOwner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.on('data', this.#take);
    socket.on('end', this.#end);
    socket.on('error', ignore);
    socket.on('close', this.#closed);
  }

  get isBusy(): boolean {
    return this.#busy;
  }

  get keepsAlive(): () => boolean {
    return this.#owner.keepsAlive;
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
    // What drains since the header section was written has the last say.
    if (!keptAlive || !this.#owner.keepsAlive()) {
      this.finish();
    } else if (socket.writableNeedDrain) {
      // Who does not read the answers is not asked for more questions.
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
    this.#owner.onIdle(this);
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
    const owner = this.#owner;
    const head =
      bytes.length > owner.maxHeaderBytes ? undefined : readPlainHead(bytes, owner.sections);
    if (head === undefined) {
      this.#handOver(bytes);
      return;
    }
    this.#busy = true;
    owner.onBusy(this);
    const res = new PlainResponse(
      this.#socket,
      this,
      head.method === 'HEAD',
      owner.keepAliveFields,
    );
    owner.handle(new PlainRequest(this.#socket, head), res);
  };

  /** A visitor who sends nothing more waits for nothing either, as Node has it. */
  readonly #end = (): void => {
    this.#socket.destroy();
  };

  readonly #closed = (): void => {
    this.#owner.onClosed(this);
  };

  #handOver(first: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#take);
    socket.off('end', this.#end);
    socket.off('error', ignore);
    socket.off('close', this.#closed);
    if (socket.isPaused()) socket.resume();
    this.#owner.handOver(this, socket, first);
  }
}

function ignore(): void {
  // 'close' follows and says all there is to know.
}
