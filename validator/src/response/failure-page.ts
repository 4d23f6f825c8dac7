import type { RenderFailurePage } from '@guard/config/contract/failure-page';
import { newReference } from '../challenge/tickets/reference-code.ts';
import { renderNotice } from '../pages/notice-page.ts';
import type { Policy } from '../policy/compile-policy.ts';
import { readPageWish } from '../request/accept.ts';
import { representationFor } from '../request/representation.ts';

/**
 * Creates a function that renders pages for requests that the origin does not answer. It returns undefined when the
 * Accept header does not name HTML.
 */
export function createFailurePage({
  look,
  ownPages,
}: Pick<Policy, 'look' | 'ownPages'>): RenderFailurePage {
  return ({ status, headers, retryAfterS }) => {
    const isPage =
      representationFor({ headers }) === 'html' && readPageWish(headers['accept']).named;
    if (!isPage) return undefined;
    const notice = status === 503 ? 'busy' : 'unreachable';
    const reference = newReference();
    const page = renderNotice({
      notice,
      reference,
      acceptLanguage: headers['accept-language'],
      look,
      retryAfterS,
      own: ownPages.find(notice),
    });
    return { ...page, reference };
  };
}
