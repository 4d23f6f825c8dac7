import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** RFC 6455 section 1.3. */
const SALT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** 16 bytes in base64 (RFC 4648 section 4): of the last digit two bits are used. */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/** RFC 6455 section 4.1. One that was sent twice has a comma in it, and is none. */
export function isKey(key: string): boolean {
  return KEY.test(key);
}

/** RFC 6455 section 4.1: whether a 101 takes up the WebSocket that was asked for with this key. */
export function isAccepted({ headers }: IncomingMessage, key: string | undefined): boolean {
  if (key === undefined || headers.upgrade?.toLowerCase() !== 'websocket') return false;
  const accept = createHash('sha1')
    .update(key + SALT)
    .digest('base64');
  return headers['sec-websocket-accept'] === accept;
}
