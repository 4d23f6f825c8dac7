import type {
  CatalogueCrawler,
  CrawlerCatalogue,
  CrawlerStanding,
} from '@guard/config/catalogue/crawlers';
import type { ReverseDns } from './reverse-dns.ts';
import type { SignatureProof } from './web-bot-auth.ts';

export interface ClaimEvidence {
  /** The visitor's address, spelled as `parseIp` returns it. */
  readonly ip: string;
  /** The result for the signature. Undefined when Guard did not check signatures. */
  readonly signed: SignatureProof | undefined;
}

/** Decides about a crawler's claim. Answers at once, and never throws. */
export type ProveClaim = (crawler: CatalogueCrawler, evidence: ClaimEvidence) => CrawlerStanding;

/**
 * Checks the proofs of a crawler's claim, the cheapest first: the operator's ranges, a signature with the operator's
 * key, the operator's host names. Only ranges and host names can show an impersonator. A bad signature has the effect
 * of no signature.
 */
export function createClaimProver(sources: {
  readonly crawlers: CrawlerCatalogue;
  readonly reverseDns: ReverseDns | undefined;
}): ProveClaim {
  const { crawlers, reverseDns } = sources;
  return (crawler, { ip, signed }) => {
    const rangeStanding = crawlers.verify(crawler, ip);
    if (rangeStanding === 'verified') return rangeStanding;
    if (signed?.kind === 'valid' && signed.key.operator === crawler.operator) return 'verified';
    if (rangeStanding === 'impersonator') return rangeStanding;
    return reverseDns?.confirm(crawler, ip, crawlers.proofsOf(crawler)) ?? 'unverifiable';
  };
}
