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

export interface GatewaySite {
  readonly settings: Site;
  readonly validate: Validate;
  /** Takes the requests below `/.guard/`. Without it the answer there is 404. */
  readonly collect: Collect | undefined;
  readonly validator: 'in-process' | 'remote';
  /** Makes the page for a request that the origin did not answer. Without it the answer is a short text. */
  readonly failurePage?: RenderFailurePage;
}

/** The settings that `reload` can change. */
export interface GatewaySettings {
  /** CIDRs of the peers whose forwarded headers are believed. */
  readonly trustedProxies: readonly string[];
  /** The header that these peers write. Undefined when the settings do not name it. */
  readonly forwardedHeader?: ForwardedHeader | undefined;
  /** The validator is asked and the event is recorded, but nothing is enforced. */
  readonly observe: boolean;
  /** As in DecisionEvent. */
  readonly settingsRevision?: string;
  readonly sites: readonly GatewaySite[];
  /** For `listenTls`. A visitor who names no host, or an unknown host, gets the first one. */
  readonly certificates?: readonly TlsCertificate[];
  /** Visitors over http are redirected to https, on hosts with a certificate. */
  readonly redirectHttps?: boolean | undefined;
}

/** What an authority looks for when it checks a host of this gateway (RFC 8555). It is looked up at each request. */
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
  /** Values that replace those of limits.ts. */
  readonly limits?: Partial<GatewayLimits>;
}

export interface Gateway {
  /** Resolves to the URL, or `unix:<path>`, on which it listens. Rejects when it cannot listen there. */
  readonly listen: (address: ListenAddress) => Promise<string>;
  /** Listens for https: HTTP/2 and HTTP/1.1. Call it once. Without a certificate every handshake fails. */
  readonly listenTls: (address: ListenAddress) => Promise<string>;
  /** Answers other proxies, and takes their requests below `/.guard/`: forward-auth/forward-auth.ts. */
  readonly listenForwardAuth: (address: ListenAddress) => Promise<string>;
  /** Answers Envoy over gRPC: ext-authz/ext-authz.ts. Call it at most once. It loads the library for gRPC. */
  readonly listenExtAuthz: (address: ListenAddress) => Promise<string>;
  /**
   * Serves every request that arrives from now on by these settings. A request that is under way keeps the settings
   * with which it began. Connections to visitors stay open, and so do those to origins that a site still has. When
   * the settings are unusable, it throws and changes nothing.
   */
  reload(settings: GatewaySettings): void;
  /**
   * Shows these certificates of an authority, and those of the settings, at each handshake from now on. When the
   * TLS library refuses one, it throws and changes nothing.
   */
  showIssued(certificates: readonly TlsCertificate[]): void;
  /** Takes no more requests. Those under way may finish for at most `drainMs`. Then their connections are cut. */
  close(): Promise<void>;
}
