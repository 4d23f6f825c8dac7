import type { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { Clock, Log, SessionStore } from '@guard/config/contract/ports';
import type { BotKey } from '@guard/config/settings/sections/web-bot-auth';
import { createClaimProver, type ProveClaim } from './prove-claim.ts';
import type { ReverseDns } from './reverse-dns.ts';
import type { UsedNonces } from './used-nonces.ts';
import { type CheckSignature, createSignatureCheck } from './web-bot-auth.ts';

export interface ProofOptions {
  readonly crawlers: CrawlerCatalogue;
  /** Public keys of crawlers and agents that sign requests (Web Bot Auth). Without keys, no signature is checked. */
  readonly botKeys?: readonly BotKey[] | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface Proofs {
  readonly proveClaim: ProveClaim;
  /** Undefined when there are no keys. */
  readonly checkSignature: CheckSignature | undefined;
}

/** The parts of the proofs that a reload keeps. */
export interface KeptProofs {
  readonly nonces: UsedNonces;
  /** Undefined when Guard looks up no names of addresses. */
  readonly reverseDns: ReverseDns | undefined;
}

/** Builds the proofs of an installation. Logs each key whose operator is not in the catalogue. */
export function openProofs(
  options: ProofOptions & { readonly store: SessionStore },
  { nonces, reverseDns }: KeptProofs,
): Proofs {
  const { crawlers, botKeys = [], clock, log, store } = options;
  const operators = new Set(crawlers.all().map(({ operator }) => operator));
  for (const { keyId, operator } of botKeys) {
    if (operator !== undefined && !operators.has(operator)) {
      log('warn', 'bot_key_of_unknown_operator', { keyId, operator });
    }
  }
  return {
    proveClaim: createClaimProver({ crawlers, reverseDns }),
    checkSignature:
      botKeys.length === 0 ? undefined : createSignatureCheck(botKeys, clock, nonces, store),
  };
}
