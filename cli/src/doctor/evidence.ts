import type { Settings } from '@guard/config/settings/schema';
import type { DataAge } from '../running-guard/data-age.ts';
import type { Answered, Exchange } from './exchange.ts';
import type { Trail } from './follow.ts';
import type { SeenRequests } from './seen-requests.ts';
import type { TlsProbe } from './tls-probe.ts';

/** An address that no machine has (RFC 5737), so it can only come from the header that doctor forged. */
export const FORGED_ADDRESS = '192.0.2.77';

/** Answers to a visitor who reached a page. */
export interface Answers {
  /** The URL behind all redirects. */
  readonly url: string;
  readonly page: Answered;
  /** The same request once more: a cache in front would give the same answer. */
  readonly again: Exchange;
  /** The answer to a program that asks for JSON. */
  readonly problem: Exchange;
  /** With the session cookie of `page`; undefined where that had none. */
  readonly returning: Exchange | undefined;
  /** GET and POST of the path that challenge pages upload to. */
  readonly uploadByGet: Exchange;
  readonly uploadByPost: Exchange;
  readonly handshake: Exchange;
  /** The same URL without TLS; undefined where it has none to begin with. */
  readonly plain: Exchange | undefined;
  readonly tls: TlsProbe;
}

/** What the metrics say about the embedded database. */
export interface DatabaseSigns {
  /** `guard_analytics_failing`. */
  readonly failing: boolean;
  /** `guard_analytics_deletion_held`. */
  readonly deletionHeld: boolean;
}

/** Everything that was collected. The checks judge it. */
export interface Evidence {
  readonly trail: Trail;
  /** Undefined where no page was reached. */
  readonly answers: Answers | undefined;
  /** What Guard recorded of these requests. */
  readonly seen: SeenRequests;
  /** `guard_gateway_one_address`; undefined where the admin listener was not asked. */
  readonly oneAddress: boolean | undefined;
  /** `guard_gateway_forwarded_undecided_total`; undefined where the admin listener was not asked. */
  readonly forwardedUndecided: number | undefined;
  /** Undefined where the admin listener was not asked, or keeps no events. */
  readonly database: DatabaseSigns | undefined;
  /** How old the data of others is; undefined where the admin listener was not asked. */
  readonly dataAge: DataAge | undefined;
  readonly settings: Settings | undefined;
  /** The address that --ip says this machine has for the site. */
  readonly statedAddress: string | undefined;
  /** --websocket was given: the URL is one where a handshake has to succeed. */
  readonly expectsWebSocket: boolean;
  readonly nowMs: number;
}
