import type { Visit } from '../arrive/arrive.ts';
import { COLLECTOR_ROOT } from '../arrive/sites.ts';
import type { GatewayLimits } from '../base/limits.ts';
import { transportOfVisitor } from './judge.ts';
import { inviteBody, type VisitorRequest } from '../message/message.ts';
import { type OwnAnswer, plainAnswer } from '../message/own-answer.ts';

/**
 * Asks the collector of the site for the answer to a request below `/.guard/`. Challenge pages and the browser script
 * send their uploads to these paths.
 */
export async function collect(
  visit: Visit,
  path: string,
  limits: GatewayLimits,
  uploads: UploadsUnderWay,
): Promise<OwnAnswer> {
  const { req, res, client, site, hasBody, target } = visit;
  const collector = site.config.collect;
  if (collector === undefined || !path.startsWith(`${COLLECTOR_ROOT}/`))
    return plainAnswer(404, 'Not found.');

  if (hasBody) inviteBody(req, res);
  const upload = await readBody(req, hasBody, limits, uploads);
  switch (upload.kind) {
    case 'too_large':
      return plainAnswer(413, 'The upload is too large.');
    case 'incomplete':
      return plainAnswer(408, 'The upload did not arrive.', 'Connection', 'close');
    case 'whole': {
      const { status, headers, body } = await collector({
        method: req.method ?? '',
        path: path.slice(COLLECTOR_ROOT.length),
        query: target.slice(path.length + 1),
        headers: req.headers,
        body: upload.text,
        ip: client.ip,
        connection: {
          scheme: client.scheme,
          ipFrom: client.from,
          transport: transportOfVisitor(visit),
        },
      });
      return { status, fields: Object.entries(headers).flat(), body: Buffer.from(body) };
    }
  }
}

type Upload =
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'incomplete' };

const NO_BYTES = Buffer.alloc(0);
/** The size of the buffer at the first byte of an upload. An upload without a byte is counted with this size too. */
const FIRST_BUFFER_BYTES = 4096;

function readBody(
  req: VisitorRequest,
  hasBody: boolean,
  { collectorBodyBytes, collectorBodyMs }: GatewayLimits,
  uploads: UploadsUnderWay,
): Promise<Upload> {
  return new Promise((resolve) => {
    let body = NO_BYTES;
    let length = 0;
    const finish = (upload: Upload) => {
      clearTimeout(timer);
      req.off('data', take);
      uploads.end(giveUp);
      // The listeners on the request stay until the connection ends, and would keep the body in memory.
      body = NO_BYTES;
      resolve(upload);
    };
    const giveUp = () => finish({ kind: 'incomplete' });
    // The bytes are copied, because each part keeps its whole read buffer in memory, and a visitor can send one byte at
    // a time.
    const take = (part: Buffer) => {
      const end = length + part.length;
      if (end > collectorBodyBytes) {
        finish({ kind: 'too_large' });
        return;
      }
      const sizeBefore = body.length;
      if (end > sizeBefore) {
        const size = Math.max(end, 2 * sizeBefore, FIRST_BUFFER_BYTES);
        const larger = Buffer.allocUnsafeSlow(Math.min(size, collectorBodyBytes));
        body.copy(larger, 0, 0, length);
        body = larger;
      }
      part.copy(body, length);
      length = end;
      const counted = Math.max(sizeBefore, FIRST_BUFFER_BYTES);
      if (body.length > counted) uploads.add(giveUp, body.length - counted);
    };
    const timer = setTimeout(giveUp, collectorBodyMs);
    req.on('data', take);
    req.once('end', () => finish({ kind: 'whole', text: body.toString('utf8', 0, length) }));
    req.once('close', giveUp);
    if (req.readableEnded) finish({ kind: 'whole', text: '' });
    else if (hasBody) uploads.add(giveUp, FIRST_BUFFER_BYTES);
  });
}

/**
 * Counts and bounds the memory of all uploads below `/.guard/` that are under way. At the bound the oldest upload is
 * given up. A browser's upload takes about a second, so the oldest upload is a slow one. When a stranger sends
 * thousands of slow uploads, these are given up, and the uploads of people arrive.
 */
export class UploadsUnderWay {
  readonly #maxBytes: number;
  /**
   * The memory of each upload in bytes. The key of an upload is the function that gives it up. The oldest upload comes
   * first.
   */
  readonly #uploads = new Map<() => void, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Counts more memory for an upload. At the bound it gives up older uploads, or this upload when no other is left.
   *
   * @param giveUp ends the upload, and must call `end`
   */
  add(giveUp: () => void, bytes: number): void {
    this.#uploads.set(giveUp, (this.#uploads.get(giveUp) ?? 0) + bytes);
    this.#bytes += bytes;
    for (const giveUpFirst of this.#uploads.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      giveUpFirst();
    }
  }

  end(giveUp: () => void): void {
    this.#bytes -= this.#uploads.get(giveUp) ?? 0;
    this.#uploads.delete(giveUp);
  }
}
