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
  /** Answers the requests below `/.guard/`. When it is undefined, they get 404. */
  readonly collect: Collect | undefined;
  readonly validator: 'in-process' | 'remote';
  /** Makes the page for a request that the origin did not answer. Without it the answer is a short text. */
  readonly failurePage?: RenderFailurePage;
}

/** The settings that `reload` can change. */
export interface GatewaySettings {
  /** CIDRs of the peers whose forwarded headers are believed. */
  readonly trustedProxies: readonly string[];
  /** The header that the trusted proxies write. Undefined when the settings do not name it. */
  readonly forwardedHeader?: ForwardedHeader | undefined;
  /** When it is true, the validator is asked and the event is recorded, but nothing is enforced. */
  readonly observe: boolean;
  /** The value of DecisionEvent.settingsRevision. */
  readonly settingsRevision?: string;
  readonly sites: readonly GatewaySite[];
  /** The certificates for `listenTls`. A visitor who names no host, or an unknown host, gets the first certificate. */
  readonly certificates?: readonly TlsCertificate[];
  /** Whether visitors over http are redirected to https, on hosts with a certificate. */
  readonly redirectHttps?: boolean | undefined;
}

/**
 * The proofs that a certificate authority looks for when it checks a host of this gateway (RFC 8555). The gateway looks
 * them up at each request.
 */
export interface AcmeChallenges {
  /**
   * The answer to a request for a token below `/.well-known/acme-challenge/`. Undefined for a token that is not awaited
   * now.
   */
  readonly keyAuthorization: (token: string) => string | undefined;
  /** The certificate of tls-alpn-01 (RFC 8737) as PEM. Undefined when no check of this host is awaited. */
  readonly certificateOf: (
    host: string,
  ) => { readonly cert: string; readonly key: string } | undefined;
}

export interface GatewayOptions extends GatewaySettings {
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether connections to `listen` and `listenTls` begin with a PROXY header (listen/accept.ts). */
  readonly proxyProtocol?: boolean;
  /**
   * Several gateways of one process listen at the addresses of `listen` and `listenTls` (SO_REUSEPORT). The first one
   * claims an address, and finds out whether another program has it. The other gateways join.
   */
  readonly sharedAddress?: 'claim' | 'join';
  /** Without it no certificate authority gets an answer. */
  readonly challenges?: AcmeChallenges | undefined;
  /** Without it nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Values that replace the values in limits.ts. */
  readonly limits?: Partial<GatewayLimits>;
}

export interface Gateway {
  /** Listens at an address. Resolves to its URL, or `unix:<path>`. Rejects when the gateway cannot listen there. */
  readonly listen: (address: ListenAddress) => Promise<string>;
  /** Listens for https: HTTP/2 and HTTP/1.1. Call it once. Without a certificate every handshake fails. */
  readonly listenTls: (address: ListenAddress) => Promise<string>;
  /** Answers other proxies, and the requests below `/.guard/` that they pass on (forward-auth/forward-auth.ts). */
  readonly listenForwardAuth: (address: ListenAddress) => Promise<string>;
  /** Answers Envoy over gRPC: ext-authz/ext-authz.ts. Call it at most once. It loads the library for gRPC. */
  readonly listenExtAuthz: (address: ListenAddress) => Promise<string>;
  /**
   * Serves every request that arrives from now on with these settings. A request that is under way keeps the settings
   * with which it began. Connections to visitors stay open. Connections to an origin stay open when a site still has
   * that origin. When the settings are unusable, `reload` throws and changes nothing.
   */
  reload(settings: GatewaySettings): void;
  /**
   * Uses these certificates of an authority from the next handshake on, together with the certificates of the settings.
   * When the TLS library refuses a certificate, the call throws and changes nothing.
   */
  showIssued(certificates: readonly TlsCertificate[]): void;
  /** Accepts no more requests. Requests under way have `drainMs` to finish. Then their connections are cut. */
  close(): Promise<void>;
}
