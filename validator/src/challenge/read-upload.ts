import { z } from 'zod';
import { memberCount, scanJson } from '../request/json-shape.ts';
import type { Sealer } from '../session/sealer.ts';
import { Upload } from './evidence/evidence.ts';
import { readTicket, type TicketReading } from './tickets/ticket.ts';

/** A body as it came: whose ticket it brings, and what else it says. */
export interface Received {
  readonly reading: TicketReading;
  /** Undefined for what no page of this version sends, and without a ticket of ours. */
  readonly upload: Upload | undefined;
  /** 400 for a body in no form that this version knows. */
  readonly status: 200 | 400;
}

/** Deepest nesting of an upload's JSON; the evidence has seven levels. */
const MAX_JSON_DEPTH = 16;

/** What the uploads of every version have in common. */
const Ticketed = z.object({ ticket: Upload.shape.ticket });

const JUNK: Received = { reading: { kind: 'invalid' }, upload: undefined, status: 400 };

/** The ticket first: one MAC tells junk from what a page of ours sent. A name that stands twice is junk. */
export function readUpload(body: string, sealer: Sealer, nowMs: number): Received {
  const { depth, members } = scanJson(body, MAX_JSON_DEPTH);
  if (depth > MAX_JSON_DEPTH) return JUNK;
  const json = parseJson(body);
  const ticketed = Ticketed.safeParse(json).data;
  if (!ticketed) return JUNK;
  const reading = readTicket(sealer, ticketed.ticket, nowMs);
  if (reading.kind === 'invalid') return { reading, upload: undefined, status: 200 };
  const upload = Upload.safeParse(json).data;
  if (upload && memberCount(upload) !== members) return JUNK;
  return { reading, upload, status: upload ? 200 : 400 };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
