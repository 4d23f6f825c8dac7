import { chooseLanguage } from './choose-language.ts';
import { frameDocument, screenHtml, trapName } from './document-frame.ts';
import { escapeHtml } from './escape-html.ts';
import type { RenderedPage } from './interstitial.ts';
import type { Look } from './look.ts';
import type { Messages, Notice } from './messages.ts';
import type { FillOwnPage } from './own-pages.ts';
import { createPageCache } from './page-cache.ts';
import { newNonce, OWN_PAGE_HEADERS, pageHeaders } from './page-headers.ts';
import { compileTemplate, type Fill } from './template.ts';

export interface NoticeOptions {
  readonly notice: Notice;
  readonly reference: string;
  readonly acceptLanguage: string | undefined;
  readonly look: Look;
  /** Seconds until the visitor can try again. Undefined when this time is unknown. */
  readonly retryAfterS?: number | undefined;
  /** URL of the hidden link (challenge/trap-link.ts). No link by default. */
  readonly trap?: string;
  /** The organisation's own page instead of Guard's page. It has no hidden link. */
  readonly own?: FillOwnPage | undefined;
}

type FillPage = Fill<'nonce' | 'reference' | 'trap' | 'wait'>;

const pageFor = createPageCache<FillPage>();

/**
 * Renders the page for a visitor whose request is denied, or gets no answer from the origin. A block page also has
 * advice.
 */
export function renderNotice(options: NoticeOptions): RenderedPage {
  const { notice, reference, acceptLanguage, look, trap = '', retryAfterS, own } = options;
  const messages = chooseLanguage(acceptLanguage);
  if (own !== undefined) {
    const { html } = own({
      reference,
      reason: messages[notice].text,
      support: look.contact,
      language: messages.language,
      retry_after: retryAfterS?.toString() ?? '',
    });
    return { html, headers: OWN_PAGE_HEADERS };
  }
  const hasTrap = trap !== '';
  const hasWait = notice === 'rateLimited' && retryAfterS !== undefined;
  const fill = pageFor(look, `${messages.language} ${notice} ${hasTrap} ${hasWait}`, () =>
    compile(look, messages, notice, hasTrap, hasWait),
  );
  const nonce = newNonce();
  const wait = hasWait ? waitText(messages, retryAfterS) : '';
  return {
    html: fill({ nonce, reference, trap, wait }).html,
    headers: pageHeaders(nonce, look.cspAddition),
  };
}

function compile(
  look: Look,
  messages: Messages,
  notice: Notice,
  hasTrap: boolean,
  hasWait: boolean,
): FillPage {
  const html = frameDocument({
    messages,
    look,
    title: messages[notice].heading,
    attributes: '',
    content: `<section>${screenHtml(messages[notice])}${hasWait ? '<p><strong>{{wait}}</strong></p>' : ''}${notice === 'blocked' ? advice(messages) : ''}</section>`,
    script: '',
    hasTrap,
    ownTemplate: false,
  });
  const wait = hasWait ? (['wait'] as const) : [];
  return compileTemplate(html, ['nonce', 'reference', ...trapName(hasTrap), ...wait]);
}

function advice(messages: Messages): string {
  const items = messages.advice.map((item) => `<li>${escapeHtml(item)}</li>`);
  return `<h2>${escapeHtml(messages.adviceHeading)}</h2><ul>${items.join('')}</ul>`;
}

const timeFormats = new Map<string, Intl.RelativeTimeFormat>();

/** The text "Try again: in 2 minutes" in the language of the visitor, rounded up. */
function waitText({ language, tryAgain }: Messages, seconds: number): string {
  let timeFormat = timeFormats.get(language);
  if (timeFormat === undefined)
    timeFormats.set(language, (timeFormat = new Intl.RelativeTimeFormat(language)));
  if (seconds < 60) return `${tryAgain}: ${timeFormat.format(seconds, 'second')}`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${tryAgain}: ${timeFormat.format(minutes, 'minute')}`;
  return `${tryAgain}: ${timeFormat.format(Math.ceil(minutes / 60), 'hour')}`;
}
