import type { IncomingHttpHeaders } from 'node:http';
import type { BodyOpening, Visit } from './arrive.ts';
import { maskSecrets, type SampledContent } from './sample/mask-secrets.ts';
import type { Sampling } from './sites.ts';
import type { VisitorRequest } from '../message/message.ts';

/** How to sample one body. */
export interface SamplePlan extends Sampling {
  readonly content: SampledContent;
}

/** The plan for a request that has a body. Undefined when the site takes no sample of it. */
export function planSample(
  { site, req }: Visit,
  readings: readonly string[],
): SamplePlan | undefined {
  const { sampling } = site;
  if (sampling === undefined) return undefined;
  // RFC 9110 section 10.1.1: this visitor sends no body before a 100 (Continue), and it is too early to send a 100.
  if (req.headers.expect !== undefined) return undefined;
  const content = sampledContent(req.headers);
  if (content === undefined || !site.isProtected(readings, req.method)) return undefined;
  return { ...sampling, content };
}

/**
 * Reads the beginning of a body: until the sample is full, the body ends, `waitMs` have passed or the visitor has
 * gone. The visit keeps the bytes, so that the origin gets them.
 */
export async function openBody(visit: Visit, plan: SamplePlan, waitMs: number): Promise<Visit> {
  const opening = await readOpening(visit.req, plan.maxBytes, waitMs);
  return { ...visit, opening, bodySample: sampleOf(opening.peek(plan.maxBytes), plan) };
}

function readOpening(req: VisitorRequest, maxBytes: number, waitMs: number): Promise<Opening> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    let isFinished = false;
    const finish = () => {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(timer);
      req.off('data', take);
      req.off('end', finish);
      req.pause();
      resolve(new Opening(Buffer.concat(parts)));
      // The listener on 'close' stays until the request closes, and would keep the parts in memory.
      parts.length = 0;
    };
    const take = (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length >= maxBytes) finish();
    };
    const timer = setTimeout(finish, waitMs);
    req.on('data', take);
    req.once('end', finish);
    req.once('close', finish);
    req.resume();
  });
}

const NO_BYTES = Buffer.alloc(0);

class Opening implements BodyOpening {
  #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  peek(maxBytes: number): Buffer {
    return this.#bytes.subarray(0, maxBytes);
  }

  take(): Buffer {
    const bytes = this.#bytes;
    this.#bytes = NO_BYTES;
    return bytes;
  }
}

/** When the end of the sample cuts a character, that character is left out. Bytes that are not UTF-8 become U+FFFD. */
function sampleOf(bytes: Buffer, { content, names }: SamplePlan): string {
  // Text without a declared charset can be UTF-16. The names of secrets would not be recognised in it.
  if (bytes.includes(0)) return '';
  return maskSecrets(new TextDecoder().decode(bytes, { stream: true }), content, names);
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
const TEXT_TYPE = /^(?:text\/[\w.+-]+|application\/(?:[\w.+-]+\+)?(?:json|xml))$/;
const CHARSET_PATTERN = /;\s*charset\s*=\s*"?([\w-]+)/i;
const ASCII_COMPATIBLE: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'iso-8859-1']);

/**
 * How the body is read. Undefined for a body that cannot be read as text: an upload of files, a picture, or compressed
 * content.
 */
function sampledContent(headers: IncomingHttpHeaders): SampledContent | undefined {
  const { 'content-type': type = '', 'content-encoding': coding } = headers;
  if (coding !== undefined) return undefined;
  const charset = CHARSET_PATTERN.exec(type)?.[1]?.toLowerCase();
  if (charset !== undefined && !ASCII_COMPATIBLE.has(charset)) return undefined;
  const semicolon = type.indexOf(';');
  const mediaType = (semicolon === -1 ? type : type.slice(0, semicolon)).trim().toLowerCase();
  if (mediaType === FORM_TYPE) return 'form';
  return TEXT_TYPE.test(mediaType) ? 'text' : undefined;
}
