import { STATUS_CODES } from 'node:http';

/** An interim answer as HTTP/1.1 writes one (RFC 9112 section 4), a latin1 character a byte. */
export function interimHead(status: number, fields: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    head += `${fields[i] ?? ''}: ${fields[i + 1] ?? ''}\r\n`;
  }
  return `${head}\r\n`;
}
