import type { Settings } from '@guard/config/settings/schema';
import type { DataAge } from '../running-guard/data-age.ts';
import type { AnsweredExchange, Exchange } from '../exchange/exchange.ts';
import type { Trail } from './follow.ts';
import type { SeenRequests } from './seen-requests.ts';
import type { TlsProbe } from './tls-probe.ts';

/** An address without a machine (RFC 5737), so it can only come from the header that doctor forged. */
export const FORGED_ADDRESS = '192.0.2.77';

export interface Answers {
  /** The final URL after all redirects. */
  readonly url: string;
  readonly page: AnsweredExchange;
  /** The same request again: a cache in front would return the same answer. */
  readonly again: Exchange;
  /** The answer to a program that asks for JSON. */
  readonly problem: Exchange;
  /** The answer to a request with the session cookie of `page`. Undefined when `page` sets none. */
  readonly returning: Exchange | undefined;
  /** GET and POST to the upload path of challenge pages. */
  readonly uploadByGet: Exchange;
  readonly uploadByPost: Exchange;
  readonly handshake: Exchange;
  /** The same URL without TLS. Undefined when the URL itself has no TLS. */
  readonly plain: Exchange | undefined;
  readonly tls: TlsProbe;
}

export interface DatabaseSigns {
  readonly failing: boolean;
  readonly deletionHeld: boolean;
}

export interface Evidence {
  readonly trail: Trail;
  /** Undefined when no page was reached. */
  readonly answers: Answers | undefined;
  /** What Guard recorded of these requests. */
  readonly seen: SeenRequests;
  /** `guard_gateway_one_address`. Undefined when the admin listener was not asked. */
  readonly oneAddress: boolean | undefined;
  /** `guard_gateway_forwarded_undecided_total`. Undefined when the admin listener was not asked. */
  readonly forwardedUndecided: number | undefined;
  /** Undefined when the admin listener was not asked, or Guard keeps no events. */
  readonly database: DatabaseSigns | undefined;
  /** Ages of published data. Undefined when the admin listener was not asked. */
  readonly dataAge: DataAge | undefined;
  readonly settings: Settings | undefined;
  /** The public address of this machine from --ip. */
  readonly statedAddress: string | undefined;
  /** --websocket was given, so a handshake at this URL has to succeed. */
  readonly expectsWebSocket: boolean;
  readonly nowMs: number;
}
