import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
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

/** An interim answer as HTTP/1.1 writes one (RFC 9112 section 4), a latin1 character a byte. */
export function interimHead(status: number, fields: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    head += `${fields[i] ?? ''}: ${fields[i + 1] ?? ''}\r\n`;
  }
  return `${head}\r\n`;
}
