import type { Facts } from '../../request/facts.ts';
import { countsAsPage, isOwnFrame } from '../../request/representation.ts';
import { isFromOtherSite } from '../documents.ts';
import type { PassRecord } from './pass-table.ts';
import { SessionShares } from './session-shares.ts';

/**
 * Documents as data are rare at a site when at least this many sessions are known, and at most this share of them got
 * more than a few of these documents.
 */
const DOCUMENTS_LEARNED_FROM = 50;
const DOCUMENTS_ARE_RARE = 0.01;
const A_FEW_DOCUMENTS = 4;

/**
 * Learns from visitors who passed whether the pages of a site load documents as data. Most sites do not. There, a visitor
 * without a pass needs hardly any of them.
 */
export class DocumentsAsData {
  readonly #shares = new SessionShares();

  /** Whether hardly any session of the site gets more than a few. False while few sessions are known. */
  areRare(site: string): boolean {
    const share = this.#shares.shareOf(site, DOCUMENTS_LEARNED_FROM);
    return share !== undefined && share <= DOCUMENTS_ARE_RARE;
  }

  /** Learns from an answer that is a document. The first page of a pass counts its session. */
  learn({ seen }: Pick<PassRecord, 'seen'>, facts: Facts, site: string): void {
    if (isFromOtherSite(facts)) return;
    if (!countsAsPage(facts) || isOwnFrame(facts)) {
      seen.documentsAsData += 1;
      if (seen.documentsAsData === A_FEW_DOCUMENTS + 1) this.#shares.countMatching(site);
    } else if (!seen.page) {
      seen.page = true;
      this.#shares.countSession(site);
    }
  }
}
