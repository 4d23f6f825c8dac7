import type { Settings } from '@guard/config/settings/schema';
import type { DataAge } from '../running-guard/data-age.ts';
import type { AnsweredExchange, Exchange } from '../exchange/exchange.ts';
import type { RedirectChain } from './follow.ts';
import type { SeenRequests } from './seen-requests.ts';
import type { TlsProbe } from './tls-probe.ts';

/** No machine has this address (RFC 5737), so in an event it can only come from the header that doctor forged. */
export const FORGED_ADDRESS = '192.0.2.77';

export interface Answers {
  /** The final URL after all redirects. */
  readonly url: string;
  readonly page: AnsweredExchange;
  /** The answer to the same request again. If a cache is in front of Guard, it is the same as the first answer. */
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

interface DatabaseSigns {
  readonly failing: boolean;
  readonly deletionHeld: boolean;
}

export interface Evidence {
  readonly redirects: RedirectChain;
  /** The answers to the requests. Undefined when no page was reached. */
  readonly answers: Answers | undefined;
  /** The events that Guard recorded for these requests. */
  readonly seen: SeenRequests;
  /** Whether `guard_gateway_one_address` is 1. Undefined when the admin listener was not asked. */
  readonly oneAddress: boolean | undefined;
  /** The value of `guard_gateway_forwarded_undecided_total`. Undefined when the admin listener was not asked. */
  readonly forwardedUndecided: number | undefined;
  /**
   * What the metrics say about the database. Undefined when the admin listener was not asked, or Guard keeps no events.
   */
  readonly database: DatabaseSigns | undefined;
  /** Ages of published data. Undefined when the admin listener was not asked. */
  readonly dataAge: DataAge | undefined;
  readonly settings: Settings | undefined;
  /** The public address of this machine from --ip. */
  readonly statedAddress: string | undefined;
  /** True when --websocket was given. Then a handshake at this URL has to succeed. */
  readonly expectsWebSocket: boolean;
  readonly nowMs: number;
}
