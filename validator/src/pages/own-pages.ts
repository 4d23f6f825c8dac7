import {
  type OwnPage,
  PAGE_PLACEHOLDERS,
  type PagePlaceholder,
} from '@guard/config/settings/sections/pages';
import type { Rule } from '@guard/config/settings/sections/rule';
import type { Organisation } from '@guard/config/settings/schema';
import type { Notice } from './messages.ts';
import { compileTemplate, type Fill } from './template.ts';

/** Fills an organisation's own page. The page does not have to use every placeholder. */
export type FillOwnPage = Fill<PagePlaceholder>;

type Pages = Pick<Organisation, 'block_page' | 'limit_page' | 'error_page'>;

export class OwnPages {
  readonly #organisation: Pages;
  readonly #fills = new Map<OwnPage, FillOwnPage>();

  constructor(organisation: Pages & { readonly rules: readonly Rule[] }) {
    this.#organisation = organisation;
    const { block_page, limit_page, error_page, rules } = organisation;
    const ownPages = [block_page, limit_page, error_page];
    for (const page of [
      ...ownPages,
      ...rules.flatMap((rule) => [rule.block_page, rule.limit_page]),
    ]) {
      if (page !== undefined) this.#fills.set(page, compile(page));
    }
  }

  /**
   * The own page of the rule that decided. When the rule has none, the own page of the organisation. Undefined when
   * both have none.
   */
  find(notice: Notice, rule?: Pick<Rule, 'block_page' | 'limit_page'>): FillOwnPage | undefined {
    const page = this.#pageFor(notice, rule);
    return page && this.#fills.get(page);
  }

  #pageFor(
    notice: Notice,
    rule: Pick<Rule, 'block_page' | 'limit_page'> = {},
  ): OwnPage | undefined {
    const { block_page, limit_page, error_page } = this.#organisation;
    switch (notice) {
      case 'blocked':
        return rule.block_page ?? block_page;
      case 'rateLimited':
        return rule.limit_page ?? limit_page;
      case 'unreachable':
      case 'busy':
        return error_page;
    }
  }
}

/** The settings refuse other placeholders (config/src/settings/sections/pages.ts). */
function compile({ html }: OwnPage): FillOwnPage {
  return compileTemplate(
    html,
    PAGE_PLACEHOLDERS.filter((name) => html.includes(`{{${name}}}`)),
  );
}
