import { type IncomingMessage, ServerResponse } from 'node:http';
import { interimHead } from './interim-head.ts';
import type { VisitorResponse } from '../message/message.ts';

/** The answer of node:http, which has no one way to write interim ones in every version that is supported. */
export class NodeResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
  implements VisitorResponse
{
  writeInterim(status: number, fields: readonly string[]): void {
    if (this.headersSent) return;
    // Node closes the connection of a visitor who asked first and was not told so by this.
    if (status === 100) this.writeContinue();
    // An answer that waits for its turn behind another has no socket yet, and goes without.
    else this.socket?.write(interimHead(status, fields), 'latin1');
  }
}
