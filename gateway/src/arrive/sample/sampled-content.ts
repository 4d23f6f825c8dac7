import type { IncomingHttpHeaders } from 'node:http';

/** How a body that may be sampled is read. */
export type SampledContent = 'form' | 'text';

const FORM = 'application/x-www-form-urlencoded';
/** Text of which UTF-8 shows what its letters are: names in any other one would not be recognised. */
const TEXT = /^(?:text\/[\w.+-]+|application\/(?:[\w.+-]+\+)?(?:json|xml))$/;
const CHARSET = /;\s*charset\s*=\s*"?([\w-]+)/i;
const LIKE_ASCII: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'iso-8859-1']);

/** Undefined for what is no text, or not as it stands: uploads, pictures, what is compressed. */
export function sampledContent(headers: IncomingHttpHeaders): SampledContent | undefined {
  const { 'content-type': type = '', 'content-encoding': coding } = headers;
  if (coding !== undefined) return undefined;
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase();
  if (charset !== undefined && !LIKE_ASCII.has(charset)) return undefined;
  const semicolon = type.indexOf(';');
  const media = (semicolon === -1 ? type : type.slice(0, semicolon)).trim().toLowerCase();
  if (media === FORM) return 'form';
  return TEXT.test(media) ? 'text' : undefined;
}
