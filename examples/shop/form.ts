import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 8 * 1024;

/** Reads the fields of a urlencoded form. Resolves with `too_large` above 8 KiB. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | 'too_large'> {
  let text = '';
  request.setEncoding('latin1');
  // The chunks are strings, because the encoding was set. latin1 has one character for each byte.
  for await (const chunk of request as AsyncIterable<string>) {
    text += chunk;
    if (text.length > MAX_BYTES) return 'too_large';
  }
  return new URLSearchParams(text);
}
