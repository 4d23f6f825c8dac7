import type { ClientHello } from '@guard/config/contract/transport';
import type { Agent, Engine } from '../request/agent.ts';
import { NOTHING, type Signal } from './signal.ts';

/** OpenSSL and mbedTLS send it; the TLS libraries of browsers never learned it (RFC 7366). */
const ENCRYPT_THEN_MAC = 22;
/** Firefox sends both in every hello: extended_master_secret (RFC 7627), record_size_limit (RFC 8449). */
const OF_FIREFOX: readonly number[] = [23, 28];
/** ALPS, in its two numbers: only Chromium has it. */
const APPLICATION_SETTINGS: readonly number[] = [17513, 17613];

/** First majors whose handshakes are known to be as this file says. */
const KNOWN_SINCE: Record<Engine, number> = { chromium: 70, gecko: 70, webkit: 15 };

/**
 * The ClientHello against the browser of the User-Agent, by what its TLS library always or never does.
 * No exact fingerprint is asked for: those change with versions, and a program that copies one passes. A
 * program that inspects TLS makes a handshake of its own, so this is weighed for a challenge at most.
 */
export const transportTlsSignal: Signal = ({ transport, agent, crawler }) => {
  const hello = transport?.hello;
  if (hello === undefined || crawler || !isOfBrowser(agent)) return NOTHING;
  // Old browsers never learned it either, so an old version lifts nothing.
  const isOfNoBrowser = hello.extensions.includes(ENCRYPT_THEN_MAC);
  return isOfNoBrowser || (isKnown(agent) && contradicts(hello, agent.engine))
    ? ['tls_fingerprint_mismatch']
    : NOTHING;
};

/** Apps of a Mac, and of an iPad that asks for desktop sites, name WebKit and no browser. */
function isOfBrowser({ engine, recognised, platform, embedded }: Agent): boolean {
  return !embedded && (engine !== undefined || (recognised && platform === 'macos'));
}

/** Whether an agent claims a browser whose handshake is known. What is built into other things may have any. */
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
