import type { Facts } from '../../request/facts.ts';
import { countsAsPage, isOwnFrame } from '../../request/representation.ts';
import { isFromOtherSite } from '../documents.ts';
import type { PassRecord } from './pass-table.ts';
import { SessionShares } from './session-shares.ts';

/**
 * Documents as data are rare at a site when at least this many sessions are known, and at most this share of them got
 * more than a few of these documents.
 */
const MIN_SESSIONS = 50;
const MAX_RARE_SHARE = 0.01;
const FEW_DOCUMENTS = 4;

/**
 * Learns from visitors who passed whether the pages of a site load documents as data. Most sites do not. There, a visitor
 * without a pass needs hardly any of them.
 */
export class DocumentsAsData {
  readonly #shares = new SessionShares();

  /** Whether documents as data are rare at the site. False while few sessions are known. */
  areRare(site: string): boolean {
    const share = this.#shares.shareOf(site, MIN_SESSIONS);
    return share !== undefined && share <= MAX_RARE_SHARE;
  }

  /** Learns from an answer that is a document. The first page of a pass counts its session. */
  learn(pass: PassRecord, facts: Facts, site: string): void {
    if (isFromOtherSite(facts)) return;
    if (!countsAsPage(facts) || isOwnFrame(facts)) {
      pass.documentsAsData += 1;
      if (pass.documentsAsData === FEW_DOCUMENTS + 1) this.#shares.countMatching(site);
    } else if (!pass.gotPage) {
      pass.gotPage = true;
      this.#shares.countSession(site);
    }
  }
}
