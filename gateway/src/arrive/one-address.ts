import type { IncomingHttpHeaders } from 'node:http';
import type { Clock, Log } from '@guard/config/contract/ports';
import { addressUse } from '@guard/config/net/special-address';
import type { ClientOf } from './client-ip.ts';
import { sparingLog } from '../base/sparing-log.ts';
import type { Connection } from '../listen/connection.ts';

/** Requests between two looks at the clock. */
const LOOK_EVERY = 128;
/** A window is judged when it is as old as this, and has as many requests. */
const WINDOW_MS = 5 * 60_000;
const WINDOW_REQUESTS = 4 * LOOK_EVERY;
/** A window that takes longer is a site that hardly anybody visits: it says nothing. */
const LONGEST_WINDOW_MS = 60 * 60_000;
/** What counts as nearly all. */
const SHARE = 0.9;
const LOG_EVERY_MS = 60 * 60_000;
/** Nearby peers with such headers that are told apart and named. */
const MAX_NAMED = 8;

/** Notices that nearly all requests come from one address: a proxy that is taken for the visitor. */
export interface OneAddressWatch {
  /** The same look-up of visitors' addresses, which also counts what it finds. */
  readonly over: (clientOf: ClientOf) => ClientOf;
  /** Forgets what was counted: other proxies may be trusted from now on. */
  readonly restart: () => void;
  /** What the last window showed. */
  readonly isOne: () => boolean;
}

/**
 * Counts by majority vote, so that one address and three numbers are all that is kept: an address of
 * which `votes` are left among `requests` has sent at least that many of them.
 */
export function watchForOneAddress(log: Log, clock: Clock): OneAddressWatch {
  const sparing = sparingLog(log, clock, LOG_EVERY_MS);
  let address = '';
  let requests = 0;
  let votes = 0;
  /** Requests of `address` that named another visitor and were not believed. */
  let claims = 0;
  /** Peers of the own network that sent such requests, and how many they sent together. */
  const nearby = new Set<string>();
  let nearbyClaims = 0;
  let begunAt = clock();
  let early = true;
  let one = false;

  function begin(): void {
    requests = votes = claims = nearbyClaims = 0;
    nearby.clear();
    address = '';
    begunAt = clock();
  }

  function count(ip: string, claimed: boolean): void {
    requests++;
    if (claimed) countNearby(ip);
    if (ip === address) {
      votes++;
      if (claimed) claims++;
    } else if (votes === 0) {
      address = ip;
      votes = 1;
      claims = claimed ? 1 : 0;
    } else {
      votes--;
    }
    if (requests % LOOK_EVERY === 0) look();
  }

  function countNearby(ip: string): void {
    if (!nearby.has(ip)) {
      if (nearby.size === MAX_NAMED || !isNearby(ip)) return;
      nearby.add(ip);
    }
    nearbyClaims++;
  }

  function look(): void {
    const age = clock() - begunAt;
    // One person who tries a new installation is one address too, but does not claim to be a proxy.
    if (early && areProxies()) judge();
    early = false;
    if (age >= WINDOW_MS && requests >= WINDOW_REQUESTS) {
      if (age <= LONGEST_WINDOW_MS) judge();
      begin();
    }
  }

  /** Nearly all requests come from peers of the own network that name other visitors: several balancers, or one. */
  function areProxies(): boolean {
    return nearbyClaims >= SHARE * requests;
  }

  function judge(): void {
    one = votes >= SHARE * requests;
    if (areProxies()) {
      const fields = proxyFields([...nearby]);
      sparing('warn', 'gateway_untrusted_proxy', { ...fields, requests });
    } else if (one) {
      const isClaiming = claims >= SHARE * requests;
      sparing('warn', 'gateway_one_address', {
        address,
        requests,
        advice: adviceOn(address, isClaiming),
      });
    }
  }

  return {
    over: (clientOf) => (connection, headers) => {
      const client = clientOf(connection, headers);
      count(client.ip, isClaim(connection, headers));
      return client;
    },
    restart: () => {
      early = true;
      one = false;
      begin();
    },
    isOne: () => one,
  };
}

function proxyFields(peers: readonly string[]) {
  const addresses = peers.join(', ');
  return {
    addresses,
    advice: `nearly all requests come from ${addresses} with X-Forwarded-For or Forwarded, which is not believed: if these are proxies of yours and write the header themselves, add to guard.yaml: ${lineOf(peers)}`,
  };
}

function adviceOn(address: string, isClaiming: boolean): string {
  const line = lineOf([address]);
  return isClaiming
    ? `if ${address} is a proxy of yours and writes X-Forwarded-For or Forwarded itself, add to guard.yaml: ${line}. If you do not know it, it is one visitor who sends that header: do not trust it`
    : `if ${address} is a proxy of yours, let it send X-Forwarded-For and add to guard.yaml: ${line}, or let it speak the PROXY protocol (listen.proxy_protocol)`;
}

function lineOf(addresses: readonly string[]): string {
  return `trusted_proxies: [${addresses.map((one) => `'${one}'`).join(', ')}]`;
}

/** Where no visitor of the internet comes from. */
function isNearby(address: string): boolean {
  const use = addressUse(address);
  return use === 'loopback' || use === 'private';
}

function isClaim({ trusted }: Connection, headers: IncomingHttpHeaders): boolean {
  return !trusted && (headers['x-forwarded-for'] ?? headers.forwarded) !== undefined;
}
