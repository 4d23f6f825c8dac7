import { parseJson } from '@guard/config/contract/json';
import { type AnsweredExchange, type Exchange, fieldsOf } from '../exchange/exchange.ts';

const UPLOAD_PATH = '/.guard/verify';

/** The answer to a denied program (`application/problem+json`), if it can be parsed. */
export interface Denial {
  readonly code: string;
  readonly requestId: string;
}

/** Whether this is a challenge page of Guard. Only such a page has a ticket. */
export function isChallengePage({ body }: AnsweredExchange): boolean {
  return /\sdata-ticket=/.test(body);
}

/** The value of the `_guard` cookie that an answer sets. */
export function sessionCookie(answer: AnsweredExchange): string | undefined {
  for (const line of fieldsOf(answer, 'set-cookie')) {
    const value = /^_guard=([^;]*)/.exec(line)?.[1];
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The upload URL of the page: a path of the site, or the address of a collector. */
export function uploadUrl({ body, url }: AnsweredExchange): string {
  const uploadAttribute = /\sdata-upload="?([^"\s>]+)/.exec(body)?.[1] ?? UPLOAD_PATH;
  return new URL(URL.canParse(uploadAttribute, url) ? uploadAttribute : UPLOAD_PATH, url).href;
}

export function denialOf(exchange: Exchange): Denial | undefined {
  if (exchange.kind === 'failed') return undefined;
  const body = parseJson(exchange.body);
  if (typeof body !== 'object' || body === null || !('code' in body)) return undefined;
  const requestId = 'request_id' in body ? String(body.request_id) : '';
  return { code: String(body.code), requestId };
}

/** The nonce of a policy's style-src, which every challenge and block page has. */
export function nonceOf(policy: string): string | undefined {
  return /'nonce-([^']+)'/.exec(policy)?.[1];
}

/** The time in a UUIDv7 (RFC 9562 section 5.7), in milliseconds since the epoch. */
export function instantOf(requestId: string): number | undefined {
  const hex = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(requestId);
  return hex ? Number.parseInt(`${hex[1]}${hex[2]}`, 16) : undefined;
}
