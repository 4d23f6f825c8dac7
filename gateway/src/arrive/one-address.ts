import type { IncomingHttpHeaders } from 'node:http';
import type { Clock, Log } from '@guard/config/contract/ports';
import { addressUse } from '@guard/config/net/special-address';
import type { ClientOf } from './client-ip.ts';
import { createThrottledLog } from '../base/throttled-log.ts';
import type { Connection } from '../listen/connection.ts';

/** Requests between two looks at the clock. */
const REQUESTS_PER_LOOK = 128;
/** A window is judged when it is at least this old and has at least this many requests. */
const WINDOW_MS = 5 * 60_000;
const WINDOW_REQUESTS = 4 * REQUESTS_PER_LOOK;
/** A window that lasts longer than this is not judged: such a site has too few visitors. */
const LONGEST_WINDOW_MS = 60 * 60_000;
/** The share of requests that this module calls nearly all. */
const NEARLY_ALL = 0.9;
const LOG_EVERY_MS = 60 * 60_000;
/** At most this many peers on this machine or in a private network are counted and named in the log. */
const MAX_NAMED_PEERS = 8;

/**
 * Notices that nearly all requests come from one address. Such an address is often a proxy that is missing in
 * `trusted_proxies`.
 */
export interface OneAddressWatch {
  /** Wraps a look-up of visitors' addresses, and counts the addresses that it finds. */
  readonly wrap: (clientOf: ClientOf) => ClientOf;
  /** Forgets all counts. It is called after a reload, which can change the trusted proxies. */
  readonly restart: () => void;
  /** Whether nearly all requests of the last window came from one address. */
  readonly isOneAddress: () => boolean;
}

/**
 * Counts by majority vote (Boyer and Moore), which keeps only one address and a few numbers in memory. `address` has
 * sent at least `votes` of the `requests`.
 */
export function watchForOneAddress(log: Log, clock: Clock): OneAddressWatch {
  const logThrottled = createThrottledLog(log, clock, LOG_EVERY_MS);
  let address = '';
  let requests = 0;
  let votes = 0;
  /** Requests of `address` with a forwarded header that was not believed. */
  let claims = 0;
  /**
   * Peers on this machine or in a private network that sent a forwarded header. `nearbyClaims` counts their requests.
   */
  const nearbyPeers = new Set<string>();
  let nearbyClaims = 0;
  let begunAt = clock();
  let isFirstLook = true;
  let hasOneAddress = false;

  function begin(): void {
    requests = votes = claims = nearbyClaims = 0;
    nearbyPeers.clear();
    address = '';
    begunAt = clock();
  }

  function count(ip: string, hasClaim: boolean): void {
    requests++;
    if (hasClaim) countNearby(ip);
    if (ip === address) {
      votes++;
      if (hasClaim) claims++;
    } else if (votes === 0) {
      address = ip;
      votes = 1;
      claims = hasClaim ? 1 : 0;
    } else {
      votes--;
    }
    if (requests % REQUESTS_PER_LOOK === 0) checkWindow();
  }

  function countNearby(ip: string): void {
    if (!nearbyPeers.has(ip)) {
      if (nearbyPeers.size === MAX_NAMED_PEERS || !isNearby(ip)) return;
      nearbyPeers.add(ip);
    }
    nearbyClaims++;
  }

  function checkWindow(): void {
    const age = clock() - begunAt;
    // The first look warns only about forwarded headers. A person who tries a new installation alone has only one
    // address too, but sends no forwarded header.
    if (isFirstLook && comeFromProxies()) judgeWindow();
    isFirstLook = false;
    if (age >= WINDOW_MS && requests >= WINDOW_REQUESTS) {
      if (age <= LONGEST_WINDOW_MS) judgeWindow();
      begin();
    }
  }

  /**
   * Whether nearly all requests come with a forwarded header from peers on this machine or in a private network, such
   * as balancers.
   */
  function comeFromProxies(): boolean {
    return nearbyClaims >= NEARLY_ALL * requests;
  }

  function judgeWindow(): void {
    hasOneAddress = votes >= NEARLY_ALL * requests;
    if (comeFromProxies()) {
      const fields = proxyFields([...nearbyPeers]);
      logThrottled('warn', 'gateway_untrusted_proxy', { ...fields, requests });
    } else if (hasOneAddress) {
      const isClaiming = claims >= NEARLY_ALL * requests;
      logThrottled('warn', 'gateway_one_address', {
        address,
        requests,
        advice: adviceOn(address, isClaiming),
      });
    }
  }

  return {
    wrap: (clientOf) => (connection, headers) => {
      const client = clientOf(connection, headers);
      count(client.ip, isClaim(connection, headers));
      return client;
    },
    restart: () => {
      isFirstLook = true;
      hasOneAddress = false;
      begin();
    },
    isOneAddress: () => hasOneAddress,
  };
}

function proxyFields(peers: readonly string[]) {
  const addresses = peers.join(', ');
  return {
    addresses,
    advice: `nearly all requests come from ${addresses} with X-Forwarded-For or Forwarded, which is not believed: if these are proxies of yours and write the header themselves, add to guard.yaml: ${settingsLine(peers)}`,
  };
}

function adviceOn(address: string, isClaiming: boolean): string {
  const line = settingsLine([address]);
  return isClaiming
    ? `if ${address} is a proxy of yours and writes X-Forwarded-For or Forwarded itself, add to guard.yaml: ${line}. If you do not know it, it is one visitor who sends that header: do not trust it`
    : `if ${address} is a proxy of yours, let it send X-Forwarded-For and add to guard.yaml: ${line}, or let it speak the PROXY protocol (listen.proxy_protocol)`;
}

function settingsLine(addresses: readonly string[]): string {
  return `trusted_proxies: [${addresses.map((address) => `'${address}'`).join(', ')}]`;
}

/**
 * Whether the address belongs to this machine or a private network. A visitor from the internet has no such address.
 */
function isNearby(address: string): boolean {
  const use = addressUse(address);
  return use === 'loopback' || use === 'private';
}

function isClaim({ trusted }: Connection, headers: IncomingHttpHeaders): boolean {
  return !trusted && (headers['x-forwarded-for'] ?? headers.forwarded) !== undefined;
}
