import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { VisitorResponse } from '../message/message.ts';

/** The answer of node:http, with interim answers. Not every supported version of Node has a way to write them. */
export class NodeResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
  implements VisitorResponse
{
  /** Called when the answers to earlier requests of the connection are sent. Not called for an answer without these. */
  onTurn: (() => void) | undefined;

  override assignSocket(socket: Socket): void {
    super.assignSocket(socket);
    const { onTurn } = this;
    // In a turn of the event loop of its own, because other visitors wait too.
    if (onTurn !== undefined) setImmediate(onTurn);
  }

  writeInterim(status: number, fields: readonly string[]): void {
    if (this.headersSent) return;
    // Node closes the connection of a visitor who waits for a 100, unless writeContinue wrote it.
    if (status === 100) this.writeContinue();
    // An answer that waits for an earlier one has no socket yet, so its interim answer is not sent.
    else this.socket?.write(interimHead(status, fields), 'latin1');
  }
}

/** The text of an interim answer of HTTP/1.1 (RFC 9112 section 4). Each byte is one latin1 character. */
export function interimHead(status: number, fields: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    head += `${fields[i] ?? ''}: ${fields[i + 1] ?? ''}\r\n`;
  }
  return `${head}\r\n`;
}
