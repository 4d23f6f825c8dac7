import type { Socket } from 'node:net';
import type { SectionNotes, VisitorRequest } from '../message/message.ts';
import type { HeaderSection } from './header-section.ts';
import type { PlainHead } from './plain-head.ts';

const NO_TRAILERS: readonly string[] = [];

/** A request without a body, in the form that every stage of the gateway takes. */
export class PlainRequest implements VisitorRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderSection['headers'];
  readonly rawHeaders: readonly string[];
  readonly notes: SectionNotes | undefined;
  readonly rawTrailers = NO_TRAILERS;
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly complete = true;
  readonly readableEnded = true;
  readonly socket: Socket;

  constructor(socket: Socket, { method, target, section }: PlainHead) {
    this.method = method;
    this.url = target;
    this.headers = section.headers;
    this.rawHeaders = section.rawHeaders;
    this.notes = section.notes;
    this.socket = socket;
  }

  // It has ended already, and there is nothing to be read or told.
  pause(): void {}
  resume(): void {}
  on(): void {}
  once(): void {}
  off(): void {}
}
