import type { Branding } from '@guard/config/settings/sections/branding';
import { escapeHtml } from './escape-html.ts';
import { shield, themeStyle } from './style.ts';

/** How the pages of one organisation look: HTML and CSS that are ready to be put into a page. */
export interface Look {
  /** Colours, as a rule of CSS that stands behind the pages' own. */
  readonly theme: string;
  /** Logo and name, or the shield. */
  readonly brand: string;
  /** Where people get help; undefined when it is not set. */
  readonly support: SupportLink | undefined;
  /** The same as text: an e-mail address or a URL; empty when it is not set. */
  readonly contact: string;
  /** Document of their own for the challenge page; undefined for the built-in one. */
  readonly template: string | undefined;
  /** What the Content-Security-Policy has to add. */
  readonly policy: string;
}

/** In HTML that is ready to be put into a page. */
interface SupportLink {
  readonly isMail: boolean;
  readonly href: string;
  readonly label: string;
}

/** Compiles the settings of an organisation, once. */
export function compileLook(branding: Branding = {}, template?: { readonly html: string }): Look {
  const { name, logo, support } = branding;
  const image = logo && `<img src="${logo.dataUrl}" alt="">`;
  const named = name === undefined ? '' : `<span>${textHtml(name)}</span>`;
  const own = (image ?? '') + named;
  return {
    theme: themeStyle(branding),
    brand: own === '' ? shield : `<p class="guard-brand">${own}</p>`,
    support: support && {
      isMail: support.href.startsWith('mailto:'),
      href: textHtml(support.href),
      label: textHtml(support.label),
    },
    contact: support?.href.replace(/^mailto:/, '') ?? '',
    template: template?.html,
    policy: logo === undefined && template === undefined ? '' : '; img-src data:',
  };
}

/** Escaped, braces too: what an organisation calls itself is never taken for a placeholder. */
function textHtml(text: string): string {
  return escapeHtml(text).replaceAll('{', '&#123;');
}
