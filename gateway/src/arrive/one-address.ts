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
  let begunAt = clock();
  let early = true;
  let one = false;

  function begin(): void {
    requests = votes = claims = 0;
    address = '';
    begunAt = clock();
  }

  function count(ip: string, claimed: boolean): void {
    requests++;
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

  function look(): void {
    const age = clock() - begunAt;
    // A person who tries a new installation out shares nobody's address, but does not claim to be a proxy.
    if (early && isSurelyProxy()) judge();
    early = false;
    if (age >= WINDOW_MS && requests >= WINDOW_REQUESTS) {
      if (age <= LONGEST_WINDOW_MS) judge();
      begin();
    }
  }

  function isSurelyProxy(): boolean {
    return claims >= SHARE * requests && isNearby(address);
  }

  function judge(): void {
    one = votes >= SHARE * requests;
    if (!one) return;
    sparing('warn', 'gateway_one_address', { address, requests, advice: advice() });
  }

  function advice(): string {
    if (isSurelyProxy()) {
      return `the proxy at ${address} sends X-Forwarded-For and is not believed: add ${address} to trusted_proxies`;
    }
    return claims >= SHARE * requests
      ? `if ${address} is a proxy of yours, add it to trusted_proxies`
      : `if ${address} is a proxy of yours, let it send X-Forwarded-For and add it to trusted_proxies, or let it speak the PROXY protocol (listen.proxy_protocol)`;
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

/** Where no visitor of the internet comes from. */
function isNearby(address: string): boolean {
  const use = addressUse(address);
  return use === 'loopback' || use === 'private';
}

function isClaim({ trusted }: Connection, headers: IncomingHttpHeaders): boolean {
  return !trusted && (headers['x-forwarded-for'] ?? headers.forwarded) !== undefined;
}
