import type { HeaderSection } from './header-section.ts';
import type { SectionMemory } from './section-memory.ts';

/** A plain request. */
export interface PlainHead {
  readonly method: 'GET' | 'HEAD';
  /** Origin-form, as sent. */
  readonly target: string;
  readonly section: HeaderSection;
}

/** Origin-form without a fragment (RFC 9112 section 3.2.1). */
const TARGET = /^\/[!"$-~]*$/;
const VERSION = ' HTTP/1.1';

/**
 * Reads what came in one piece, if it is one whole GET or HEAD that asks for nothing but its answer
 * (header-section.ts), and nothing behind it. Undefined for all else, which is not refused: Node's
 * parser has it then, and the last word.
 */
export function readPlainHead(bytes: Buffer, sections: SectionMemory): PlainHead | undefined {
  const text = bytes.toString('latin1');
  const method = methodOf(text);
  const lineEnd = text.indexOf('\r\n');
  if (method === undefined || !text.startsWith(VERSION, lineEnd - VERSION.length)) return undefined;
  const target = text.slice(method.length + 1, lineEnd - VERSION.length);
  if (!TARGET.test(target)) return undefined;
  const section = sections.read(bytes, text, lineEnd + 2);
  return section && { method, target, section };
}

function methodOf(text: string): PlainHead['method'] | undefined {
  if (text.startsWith('GET ')) return 'GET';
  return text.startsWith('HEAD ') ? 'HEAD' : undefined;
}
