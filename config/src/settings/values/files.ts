import { readFileSync, statSync } from 'node:fs';
import { decodeUtf8 } from '../../contract/json.ts';

/** Largest settings file, in bytes. */
export const MAX_SETTINGS_BYTES = 8 * 1024 * 1024;
/** Largest block page or robots.txt, in bytes. */
export const MAX_PAGE_BYTES = 256 * 1024;

type FileText =
  | { readonly kind: 'read'; readonly text: string }
  /** `reason` is a phrase, such as "no such file". */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** `validPrefix` is the text up to the first byte that is not UTF-8. */
  | { readonly kind: 'not_utf8'; readonly validPrefix: string };

type FileBytes =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  /** `reason` is a phrase, such as "no such file". */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads a file of at most `maxBytes`. Never throws. */
export function readBytes(path: string, maxBytes: number): FileBytes {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { kind: 'unreadable', reason: 'a folder or device, not a file' };
    if (stat.size > maxBytes) return tooLarge(maxBytes);
    const bytes = readFileSync(path);
    // The file can grow between the check of its size and the read.
    return bytes.length > maxBytes ? tooLarge(maxBytes) : { kind: 'read', bytes };
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
}

/** Reads a file as text, without its byte order mark. Never throws. */
export function readTextFile(path: string, maxBytes: number): FileText {
  const file = readBytes(path, maxBytes);
  if (file.kind === 'unreadable') return file;
  const text = decodeUtf8(file.bytes);
  if (text !== undefined) return { kind: 'read', text };
  return {
    kind: 'not_utf8',
    validPrefix: new TextDecoder().decode(file.bytes).split('\ufffd', 1)[0] ?? '',
  };
}

function tooLarge(maxBytes: number): { readonly kind: 'unreadable'; readonly reason: string } {
  return { kind: 'unreadable', reason: `a file of more than ${sizeOf(maxBytes)}` };
}

export function sizeOf(bytes: number): string {
  return bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'no such file';
    case 'EACCES':
    case 'EPERM':
      return 'a file without permission to read it';
    default:
      return `a file that cannot be read (${typeof code === 'string' ? code : 'unknown error'})`;
  }
}
