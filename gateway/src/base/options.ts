import type { RenderFailurePage } from '@guard/config/contract/failure-page';
import type {
  Clock,
  Collect,
  EventSink,
  Log,
  Metrics,
  Validate,
} from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import type { ForwardedHeader, Site } from '@guard/config/settings/schema';
import type { TlsCertificate } from '@guard/config/settings/sections/tls';
import type { ListenAddress } from '@guard/config/settings/values/values';
import type { GatewayLimits } from './limits.ts';

/** One site of guard.yaml with the ports that serve it. */
export interface GatewaySite {
  readonly settings: Site;
  readonly validate: Validate;
  /** Takes what arrives below `/.guard/`; without it those paths answer 404. */
  readonly collect: Collect | undefined;
  readonly validator: 'in-process' | 'remote';
  /** Pages for requests without an answer of the origin; absent for a short text. */
  readonly failurePage?: RenderFailurePage;
}

/** The settings that a running gateway can take again by `reload`. */
export interface GatewaySettings {
  /** CIDRs of the peers whose forwarded headers are believed. */
  readonly trustedProxies: readonly string[];
  /** The header that they write. Undefined where the settings do not say it. */
  readonly forwardedHeader?: ForwardedHeader | undefined;
  /** Ask and record, enforce nothing. */
  readonly observe: boolean;
  /** DecisionEvent.settingsRevision. */
  readonly settingsRevision?: string;
  readonly sites: readonly GatewaySite[];
  /** For `listenTls`. The first one is shown to who names no host, or an unknown one. */
  readonly certificates?: readonly TlsCertificate[];
  /** Visitors over http are redirected to https, on hosts with a certificate. */
  readonly redirectHttps?: boolean | undefined;
}

/** What an authority of certificates looks for while it checks a host of this gateway (RFC 8555). Looked up at each request. */
export interface AcmeChallenges {
  /** The answer below `/.well-known/acme-challenge/`; undefined for a token that is not awaited right now. */
  readonly keyAuthorization: (token: string) => string | undefined;
  /** The certificate of tls-alpn-01 (RFC 8737) as PEM, while one is awaited for this host. */
  readonly certificateOf: (
    host: string,
  ) => { readonly cert: string; readonly key: string } | undefined;
}

export interface GatewayOptions extends GatewaySettings {
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Connections to `listen` and `listenTls` begin with a PROXY header: listen/accept.ts. */
  readonly proxyProtocol?: boolean;
  /**
   * Several gateways of one process listen at the addresses of `listen` and `listenTls` (SO_REUSEPORT).
   * The first one claims an address, and finds out whether another program has it; the others join.
   */
  readonly sharedAddress?: 'claim' | 'join';
  /** Without it no authority is answered. */
  readonly challenges?: AcmeChallenges | undefined;
  /** Without it nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Bounds that differ from limits.ts. */
  readonly limits?: Partial<GatewayLimits>;
}

export interface Gateway {
  /** Resolves to the URL, or `unix:<path>`, that it listens on; rejects when the address cannot be had. */
  readonly listen: (address: ListenAddress) => Promise<string>;
  /** The same over https: HTTP/2 and HTTP/1.1 by ALPN. At most once. Without a certificate every handshake fails. */
  readonly listenTls: (address: ListenAddress) => Promise<string>;
  /**
   * Answers the questions of other proxies there, and takes what they hand over below `/.guard/`:
   * forward-auth/forward-auth.ts.
   */
  readonly listenForwardAuth: (address: ListenAddress) => Promise<string>;
  /**
   * Serves every request that arrives from now on by these settings. One that is under way ends under
   * those it began with; connections stay, and so do those to an origin that a site keeps. Throws,
   * and leaves everything as it was, when no gateway can be built from them.
   */
  reload(settings: GatewaySettings): void;
  /**
   * Shows these certificates, which an authority issued, besides those of the settings, at each handshake from now on.
   * Throws, and leaves everything as it was, when the TLS library refuses one.
   */
  showIssued(certificates: readonly TlsCertificate[]): void;
  /** Takes no more requests, lets those under way finish for at most `drainMs`, then cuts. */
  close(): Promise<void>;
}
