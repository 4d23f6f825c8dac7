import {
  type OwnPage,
  PAGE_PLACEHOLDERS,
  type PagePlaceholder,
} from '@guard/config/settings/sections/pages';
import type { Rule } from '@guard/config/settings/sections/rule';
import type { Organisation } from '@guard/config/settings/schema';
import type { Notice } from './messages.ts';
import { compileTemplate, type Fill } from './template.ts';

/** Fills a page of the user's own; what it has no placeholder for is left out. */
export type FillOwnPage = Fill<PagePlaceholder>;

type Pages = Pick<Organisation, 'block_page' | 'limit_page' | 'error_page'>;

/** The pages of an organisation's own, taken apart once. */
export class OwnPages {
  readonly #organisation: Pages;
  readonly #fills = new Map<OwnPage, FillOwnPage>();

  constructor(organisation: Pages & { readonly rules: readonly Rule[] }) {
    this.#organisation = organisation;
    const { block_page, limit_page, error_page, rules } = organisation;
    const all = [block_page, limit_page, error_page];
    for (const page of [...all, ...rules.flatMap((rule) => [rule.block_page, rule.limit_page])]) {
      if (page !== undefined) this.#fills.set(page, compile(page));
    }
  }

  /** The page of the rule that decided before that of the organisation; undefined for a page of Guard's. */
  find(notice: Notice, by?: Pick<Rule, 'block_page' | 'limit_page'>): FillOwnPage | undefined {
    const page = this.#pageFor(notice, by);
    return page && this.#fills.get(page);
  }

  #pageFor(notice: Notice, by: Pick<Rule, 'block_page' | 'limit_page'> = {}): OwnPage | undefined {
    const { block_page, limit_page, error_page } = this.#organisation;
    switch (notice) {
      case 'blocked':
        return by.block_page ?? block_page;
      case 'rateLimited':
        return by.limit_page ?? limit_page;
      case 'unreachable':
      case 'busy':
        return error_page;
    }
  }
}

/** The settings have no page with another placeholder (config/src/settings/sections/pages.ts). */
function compile({ html }: OwnPage): FillOwnPage {
  return compileTemplate(
    html,
    PAGE_PLACEHOLDERS.filter((name) => html.includes(`{{${name}}}`)),
  );
}
