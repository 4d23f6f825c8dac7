import type {
  CatalogueCrawler,
  CrawlerCatalogue,
  CrawlerStanding,
} from '@guard/config/catalogue/crawlers';
import type { ReverseDns } from './reverse-dns.ts';
import type { SignatureProof } from './web-bot-auth.ts';

/** What a crawler's claim is proved by. */
export interface ClaimEvidence {
  /** As `parseIp` spells it. */
  readonly ip: string;
  /** Undefined where no signature was looked for. */
  readonly signed: SignatureProof | undefined;
}

/** Where a claim to be a crawler stands; at once, and never by an exception. */
export type ProveClaim = (crawler: CatalogueCrawler, evidence: ClaimEvidence) => CrawlerStanding;

/**
 * The proofs of a crawler's claim, the cheapest first: the operator's ranges, a signature with the
 * operator's key, the operator's host names. One that succeeds is enough. Only ranges and host names
 * can unmask an impersonator; a bad signature is as good as none.
 */
export function createClaimProver(sources: {
  readonly crawlers: CrawlerCatalogue;
  readonly reverseDns: ReverseDns | undefined;
}): ProveClaim {
  const { crawlers, reverseDns } = sources;
  return (crawler, { ip, signed }) => {
    const byRanges = crawlers.verify(crawler, ip);
    if (byRanges === 'verified') return byRanges;
    if (signed?.kind === 'valid' && signed.key.operator === crawler.operator) return 'verified';
    if (byRanges === 'impersonator') return byRanges;
    return reverseDns?.confirm(crawler, ip) ?? 'unverifiable';
  };
}
