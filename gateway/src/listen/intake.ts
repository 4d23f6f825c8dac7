import type { IncomingMessage } from 'node:http';
import type { GatewayLimits } from '../base/limits.ts';
import type { VisitorRequest, VisitorResponse } from '../message/message.ts';
import type { AcceptOptions } from './accept.ts';

/** Where a server hands the requests of its visitors, and what it needs beside that. */
export interface Intake {
  /** Takes one request from start to end. Never throws. */
  readonly handle: (req: VisitorRequest, res: VisitorResponse) => void;
  /** Takes a WebSocket handshake. `head` holds the bytes that came behind it. */
  readonly upgrade: (req: IncomingMessage, head: Buffer) => void;
  readonly limits: GatewayLimits;
  readonly accept: AcceptOptions;
  /** While true, answers ask visitors to open another connection next time. */
  readonly isClosing: () => boolean;
}
