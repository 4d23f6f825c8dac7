import { chooseLanguage } from './choose-language.ts';
import { frameDocument, screenHtml, trapName } from './document-frame.ts';
import { escapeHtml } from './escape-html.ts';
import type { RenderedPage } from './interstitial.ts';
import type { Look } from './look.ts';
import type { Messages } from './messages.ts';
import { createPageCache } from './page-cache.ts';
import { newNonce, pageHeaders } from './page-headers.ts';
import { compileTemplate, type Fill } from './template.ts';

export interface BlockPageOptions {
  readonly reference: string;
  /** Status it will be sent with: 429 says that waiting helps, every other one what else may. */
  readonly status: number;
  readonly acceptLanguage: string | undefined;
  readonly look: Look;
  /** Target of the hidden link (challenge/trap-link.ts); none by default. */
  readonly trap?: string;
}

type FillPage = Fill<'nonce' | 'reference' | 'trap'>;
type Kind = 'blocked' | 'rateLimited';

const cached = createPageCache<FillPage>();

/** The page a blocked visitor sees, with what a wrongly blocked person can do about it. */
export function renderBlockPage(options: BlockPageOptions): RenderedPage {
  const { reference, status, acceptLanguage, look, trap = '' } = options;
  const messages = chooseLanguage(acceptLanguage);
  const kind = status === 429 ? 'rateLimited' : 'blocked';
  const hasTrap = trap !== '';
  const fill = cached(look, `${messages.language} ${kind} ${hasTrap}`, () =>
    compile(look, messages, kind, hasTrap),
  );
  const nonce = newNonce();
  return { html: fill({ nonce, reference, trap }), headers: pageHeaders(nonce, look.policy) };
}

function compile(look: Look, messages: Messages, kind: Kind, hasTrap: boolean): FillPage {
  const html = frameDocument({
    messages,
    look,
    title: messages[kind].heading,
    attributes: '',
    content: `<section>${screenHtml(messages[kind])}${kind === 'blocked' ? advice(messages) : ''}</section>`,
    script: '',
    hasTrap,
    ownTemplate: false,
  });
  return compileTemplate(html, ['nonce', 'reference', ...trapName(hasTrap)]);
}

function advice(messages: Messages): string {
  const items = messages.advice.map((item) => `<li>${escapeHtml(item)}</li>`);
  return `<h2>${escapeHtml(messages.adviceHeading)}</h2><ul>${items.join('')}</ul>`;
}
