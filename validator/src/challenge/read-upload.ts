import { parseJson } from '@guard/config/contract/json';
import { z } from 'zod';
import { memberCount, scanJson } from '../request/json-shape.ts';
import type { Sealer } from '../session/sealer.ts';
import { Leave, Upload } from '../../page-contract/evidence.ts';
import type { UploadForm } from './program/upload-form.ts';
import { readTicket, type TicketReading } from './tickets/ticket.ts';

/** A parsed body: the reading of its ticket, and its content. */
export interface Received {
  readonly reading: TicketReading;
  /** Undefined when no page of this version sends a body in this form, or when the ticket is invalid. */
  readonly upload: Upload | undefined;
  /** True when the page reports that the visitor left. Then there is no upload. */
  readonly isLeft: boolean;
  /** 400 for a body that this version cannot parse. */
  readonly status: 200 | 400;
}

/** Deepest nesting of an upload's JSON; the evidence has seven levels. */
const MAX_JSON_DEPTH = 16;

/** The common field of uploads of all versions. */
const BodyWithTicket = z.object({ ticket: Upload.shape.ticket });

const JUNK: Received = {
  reading: { kind: 'invalid' },
  upload: undefined,
  isLeft: false,
  status: 400,
};

/** Returns the upload forms of a program, as createUploadForms does. */
type UploadFormsOf = (program: string) => readonly UploadForm[];

/**
 * Reads a body. The ticket is checked first, because its MAC separates junk from uploads of Guard's pages. A body with
 * a repeated name is junk.
 */
export function readUpload(
  body: string,
  sealer: Sealer,
  formsOf: UploadFormsOf,
  nowMs: number,
): Received {
  const outer = readJson(body);
  const bodyWithTicket = BodyWithTicket.safeParse(outer?.json).data;
  if (!outer || !bodyWithTicket) return JUNK;
  const reading = readTicket(sealer, bodyWithTicket.ticket, nowMs);
  const noUpload = { reading, upload: undefined, status: 200 } as const;
  if (reading.kind === 'invalid') return { ...noUpload, isLeft: false };
  if (Leave.safeParse(outer.json).success) return { ...noUpload, isLeft: true };
  const program = 'ticket' in reading ? reading.ticket.program : '';
  const inner =
    program === '' ? outer : decodeUpload(outer, bodyWithTicket.ticket, formsOf(program));
  const upload = Upload.safeParse(inner?.json).data;
  if (upload && memberCount(upload) !== inner?.members) return JUNK;
  const isOwn = upload?.ticket === bodyWithTicket.ticket;
  return { reading, upload: isOwn ? upload : undefined, isLeft: false, status: isOwn ? 200 : 400 };
}

interface ParsedBody {
  readonly json: unknown;
  /** Number of members of all objects, as in JsonShape.members. It reveals repeated names. */
  readonly members: number;
}

/** Decodes the upload of a page program with the first form that fits. */
function decodeUpload(
  { json, members }: ParsedBody,
  ticket: string,
  forms: readonly UploadForm[],
): ParsedBody | undefined {
  if (typeof json !== 'object' || json === null || Object.keys(json).length !== members) {
    return undefined;
  }
  for (const form of forms) {
    const decodedBody = readJson(form.read(ticket, json) ?? '');
    if (decodedBody) return decodedBody;
  }
  return undefined;
}

/** Undefined for text that is not JSON or is nested too deep. */
function readJson(text: string): ParsedBody | undefined {
  const { depth, members } = scanJson(text, MAX_JSON_DEPTH);
  if (depth > MAX_JSON_DEPTH) return undefined;
  const json = parseJson(text);
  return json === undefined ? undefined : { json, members };
}
