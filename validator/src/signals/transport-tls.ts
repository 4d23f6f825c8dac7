import type { ClientHello } from '@guard/config/contract/transport';
import type { Agent, Engine } from '../request/agent.ts';
import { NO_REASONS, type Signal } from './signal.ts';

/** OpenSSL and mbedTLS send this extension (RFC 7366). The TLS libraries of browsers do not send it. */
const ENCRYPT_THEN_MAC = 22;
/**
 * Two extensions that Firefox sends in every hello: extended_master_secret (RFC 7627) and record_size_limit (RFC 8449).
 */
const OF_FIREFOX: readonly number[] = [23, 28];
/** The old and the new number of the extension ALPS, which only Chromium sends. */
const APPLICATION_SETTINGS: readonly number[] = [17513, 17613];

/** The first major versions whose handshakes this file describes. */
const KNOWN_SINCE: Record<Engine, number> = { chromium: 70, gecko: 70, webkit: 15 };

/**
 * Compares the ClientHello with the browser of the User-Agent. It checks properties that the TLS library of this
 * browser always or never has. It compares no exact fingerprints, because these change with versions, and a program can
 * copy them. Virus scanners and company proxies that inspect TLS make their own handshake, so this finding leads at
 * most to a challenge.
 */
export const transportTlsSignal: Signal = ({ transport, agent, crawler }) => {
  const hello = transport?.hello;
  if (hello === undefined || crawler || !isOfBrowser(agent)) return NO_REASONS;
  // Old browsers do not send this extension either, so this check needs no version.
  const isOfNoBrowser = hello.extensions.includes(ENCRYPT_THEN_MAC);
  return isOfNoBrowser || (isKnown(agent) && contradicts(hello, agent.engine))
    ? ['tls_fingerprint_mismatch']
    : NO_REASONS;
};

/**
 * Whether the agent claims to be a browser. This includes apps on a Mac, and on an iPad in desktop mode, which name
 * only WebKit.
 */
function isOfBrowser({ engine, recognised, platform, embedded }: Agent): boolean {
  return !embedded && (engine !== undefined || (recognised && platform === 'macos'));
}

/**
 * Whether an agent claims a browser whose handshake this file describes. An embedded browser can have any handshake.
 */
export function isKnown(agent: Agent): agent is Agent & { readonly engine: Engine } {
  const { engine, embedded, major } = agent;
  return engine !== undefined && !embedded && major >= KNOWN_SINCE[engine];
}

function contradicts(hello: ClientHello, engine: Engine): boolean {
  const { greased, extensions } = hello;
  const hasSettings = APPLICATION_SETTINGS.some((type) => extensions.includes(type));
  switch (engine) {
    case 'chromium':
      return !greased;
    case 'webkit':
      return !greased || hasSettings;
    case 'gecko':
      return hasSettings || !OF_FIREFOX.every((type) => extensions.includes(type));
  }
}
