import { z } from 'zod';
import { memberCount, scanJson } from '../request/json-shape.ts';
import type { Sealer } from '../session/sealer.ts';
import { Leave, Upload } from '../../page-contract/evidence.ts';
import type { UploadForm } from './program/upload-form.ts';
import { readTicket, type TicketReading } from './tickets/ticket.ts';

/** A body as it came: whose ticket it brings, and what else it says. */
export interface Received {
  readonly reading: TicketReading;
  /** Undefined for a form that no page of this version sends, or without a valid ticket. */
  readonly upload: Upload | undefined;
  /** The page says that it is left; then it brings no upload. */
  readonly isLeft: boolean;
  /** 400 for a body in no form that this version knows. */
  readonly status: 200 | 400;
}

/** Deepest nesting of an upload's JSON; the evidence has seven levels. */
const MAX_JSON_DEPTH = 16;

/** What the uploads of every version have in common. */
const Ticketed = z.object({ ticket: Upload.shape.ticket });

const JUNK: Received = {
  reading: { kind: 'invalid' },
  upload: undefined,
  isLeft: false,
  status: 400,
};

/** createUploadForms: how the pages of a program write; empty where no secret drew it. */
export type UploadFormsOf = (program: string) => readonly UploadForm[];

/** The ticket first: one MAC tells junk from what a page of ours sent. A name that stands twice is junk. */
export function readUpload(
  body: string,
  sealer: Sealer,
  formsOf: UploadFormsOf,
  nowMs: number,
): Received {
  const outer = readJson(body);
  const ticketed = Ticketed.safeParse(outer?.json).data;
  if (!outer || !ticketed) return JUNK;
  const reading = readTicket(sealer, ticketed.ticket, nowMs);
  const nothing = { reading, upload: undefined, status: 200 } as const;
  if (reading.kind === 'invalid') return { ...nothing, isLeft: false };
  if (Leave.safeParse(outer.json).success) return { ...nothing, isLeft: true };
  const program = 'ticket' in reading ? reading.ticket.program : '';
  const inner = program === '' ? outer : uncovered(outer, ticketed.ticket, formsOf(program));
  const upload = Upload.safeParse(inner?.json).data;
  if (upload && memberCount(upload) !== inner?.members) return JUNK;
  const isOwn = upload?.ticket === ticketed.ticket;
  return { reading, upload: isOwn ? upload : undefined, isLeft: false, status: isOwn ? 200 : 400 };
}

interface Json {
  readonly json: unknown;
  /** JsonShape.members */
  readonly members: number;
}

/** What the page of a program wrote, in the form that one of the secrets drew. */
function uncovered(
  { json, members }: Json,
  ticket: string,
  forms: readonly UploadForm[],
): Json | undefined {
  if (typeof json !== 'object' || json === null || Object.keys(json).length !== members) {
    return undefined;
  }
  for (const form of forms) {
    const read = readJson(form.read(ticket, json) ?? '');
    if (read) return read;
  }
  return undefined;
}

/** Undefined for text that is not JSON, or is nested too deep. */
function readJson(text: string): Json | undefined {
  const { depth, members } = scanJson(text, MAX_JSON_DEPTH);
  if (depth > MAX_JSON_DEPTH) return undefined;
  try {
    return { json: JSON.parse(text), members };
  } catch {
    return undefined;
  }
}
