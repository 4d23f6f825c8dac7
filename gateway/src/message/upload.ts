import type { VisitorRequest } from './message.ts';

/** How the body of a request ended. `incomplete`: it was given up, took too long, or the client disconnected. */
type Upload =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'incomplete' };

const NO_BYTES = Buffer.alloc(0);
/** The size of the buffer at the first byte of an upload. An upload without a byte is counted with this size too. */
const FIRST_BUFFER_BYTES = 4096;

/**
 * Reads the body of a request into one buffer. Never rejects.
 *
 * @param limits `maxMs` is the time for the whole body, in milliseconds
 */
export function readUpload(
  req: VisitorRequest,
  limits: {
    readonly hasBody: boolean;
    readonly maxBytes: number;
    readonly maxMs: number;
    readonly uploads: UploadsUnderWay;
  },
): Promise<Upload> {
  const { hasBody, maxBytes, maxMs, uploads } = limits;
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
      if (end > maxBytes) {
        finish({ kind: 'too_large' });
        return;
      }
      const sizeBefore = body.length;
      if (end > sizeBefore) {
        const size = Math.max(end, 2 * sizeBefore, FIRST_BUFFER_BYTES);
        const larger = Buffer.allocUnsafeSlow(Math.min(size, maxBytes));
        body.copy(larger, 0, 0, length);
        body = larger;
      }
      part.copy(body, length);
      length = end;
      const counted = Math.max(sizeBefore, FIRST_BUFFER_BYTES);
      if (body.length > counted) uploads.add(giveUp, body.length - counted);
    };
    const timer = setTimeout(giveUp, maxMs);
    req.on('data', take);
    req.once('end', () => finish({ kind: 'whole', bytes: body.subarray(0, length) }));
    req.once('close', giveUp);
    if (req.readableEnded) finish({ kind: 'whole', bytes: NO_BYTES });
    else if (hasBody) uploads.add(giveUp, FIRST_BUFFER_BYTES);
  });
}

/**
 * Counts and bounds the memory of all uploads that are under way. At the bound the oldest upload is given up. A
 * browser's upload takes about a second, so the oldest upload is a slow one. When a stranger sends thousands of slow
 * uploads, these are given up, and the uploads of people arrive.
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
