import { chooseLanguage, languages } from './choose-language.ts';
import { frameDocument, screenHtml } from './document-frame.ts';
import { escapeHtml } from './escape-html.ts';
import type { RenderedPage } from './interstitial.ts';
import type { Messages, ScreenText } from './messages.ts';
import { newNonce, pageHeaders } from './page-headers.ts';
import { compileTemplate } from './template.ts';

export interface BlockPageOptions {
  readonly reference: string;
  /** Status it will be sent with: 429 says that waiting helps, every other one what else may. */
  readonly status: number;
  readonly acceptLanguage: string | undefined;
}

const blocked = new Map(
  languages.map((messages) => [messages, compile(messages, messages.blocked, advice(messages))]),
);
const rateLimited = new Map(
  languages.map((messages) => [messages, compile(messages, messages.rateLimited, '')]),
);

/** The page a blocked visitor sees, with what a wrongly blocked person can do about it. */
export function renderBlockPage(options: BlockPageOptions): RenderedPage {
  const messages = chooseLanguage(options.acceptLanguage);
  const fill = (options.status === 429 ? rateLimited : blocked).get(messages);
  if (!fill) throw new Error(`no block page in "${messages.language}"`);
  const nonce = newNonce();
  return { html: fill({ nonce, reference: options.reference }), headers: pageHeaders(nonce, '') };
}

function compile(messages: Messages, screen: ScreenText, more: string) {
  const html = frameDocument({
    messages,
    title: screen.heading,
    bodyAttributes: '',
    body: `<section>${screenHtml(screen)}${more}</section>`,
    script: '',
  });
  return compileTemplate(html, ['nonce', 'reference']);
}

function advice(messages: Messages): string {
  const items = messages.advice.map((item) => `<li>${escapeHtml(item)}</li>`);
  return `<h2>${escapeHtml(messages.adviceHeading)}</h2><ul>${items.join('')}</ul>`;
}
