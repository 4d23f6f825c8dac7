import type { Branding } from '@guard/config/settings/sections/branding';
import { escapeHtml } from './escape-html.ts';
import { shield, themeStyle } from './style.ts';

/**
 * The look of the pages of one organisation. All parts but `contact` and `cspAddition` are HTML and CSS that need no more
 * escaping.
 */
export interface Look {
  /** The organisation's colours as CSS rules, which follow the style of Guard's pages. */
  readonly theme: string;
  /** The logo and the name. The shield of Guard when both are missing. */
  readonly brand: string;
  readonly support: SupportLink | undefined;
  /** The support as text: an e-mail address or a URL. Empty when the setting is missing. */
  readonly contact: string;
  /** The organisation's own document for the challenge page. Undefined for the built-in document. */
  readonly template: string | undefined;
  /** The text that the look adds to the Content-Security-Policy. */
  readonly cspAddition: string;
}

/** All texts are escaped HTML. */
interface SupportLink {
  readonly isMail: boolean;
  readonly href: string;
  readonly label: string;
}

export function compileLook(branding: Branding = {}, template?: { readonly html: string }): Look {
  const { name, logo, support } = branding;
  const logoHtml = logo && `<img src="${logo.dataUrl}" alt="">`;
  const nameHtml = name === undefined ? '' : `<span>${textHtml(name)}</span>`;
  const brandHtml = (logoHtml ?? '') + nameHtml;
  return {
    theme: themeStyle(branding),
    brand: brandHtml === '' ? shield : `<p class="guard-brand">${brandHtml}</p>`,
    support: support && {
      isMail: support.href.startsWith('mailto:'),
      href: textHtml(support.href),
      label: textHtml(support.label),
    },
    contact: support?.href.replace(/^mailto:/, '') ?? '',
    template: template?.html,
    cspAddition: logo === undefined && template === undefined ? '' : '; img-src data:',
  };
}

/** Escapes text and braces, so that an organisation's name cannot contain a placeholder. */
function textHtml(text: string): string {
  return escapeHtml(text).replaceAll('{', '&#123;');
}
