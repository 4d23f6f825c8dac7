import type { RenderFailurePage } from '@guard/config/contract/failure-page';
import { newReference } from '../challenge/tickets/reference-code.ts';
import { renderNotice } from '../pages/notice-page.ts';
import type { Policy } from '../policy/compile-policy.ts';
import { readPageWish } from '../request/accept.ts';
import { representationFor } from '../request/representation.ts';

/** Makes pages for requests that no origin answers. Undefined for a client that does not ask for HTML by name. */
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
