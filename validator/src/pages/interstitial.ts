import { languages } from './choose-language.ts';
import { frameDocument, screenHtml } from './document-frame.ts';
import { escapeHtml } from './escape-html.ts';
import type { Messages } from './messages.ts';
import { newNonce, pageHeaders } from './page-headers.ts';
import { compileTemplate } from './template.ts';

export interface InterstitialOptions {
  /** Sealed ticket, base64url. */
  readonly ticket: string;
  /** Where the page posts its evidence: a path of the site itself, or an absolute URL. */
  readonly uploadUrl: string;
  readonly reference: string;
  /** One of choose-language.ts. */
  readonly messages: Messages;
  /** The reload will send a form again, so the page says so. */
  readonly resubmits: boolean;
}

/** A page and the headers it must be served with (spec 3: they belong together). */
export interface RenderedPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type RenderInterstitial = (options: InterstitialOptions) => RenderedPage;

/** Builds the challenge page of every language around the bundled script; rendering only fills in. */
export function createInterstitial(script: string): RenderInterstitial {
  const plain = new Map(languages.map((messages) => [messages, compile(messages, [], script)]));
  const resubmitting = new Map(
    languages.map((messages) => [messages, compile(messages, [messages.resubmission], script)]),
  );
  return ({ ticket, uploadUrl, reference, messages, resubmits }) => {
    const fill = (resubmits ? resubmitting : plain).get(messages);
    if (!fill) throw new Error(`no challenge page in "${messages.language}"`);
    const nonce = newNonce();
    const connect = uploadUrl.startsWith('/') ? "'self'" : new URL(uploadUrl).origin;
    return {
      html: fill({ nonce, ticket, uploadUrl, reference }),
      headers: pageHeaders(
        nonce,
        `; script-src 'nonce-${nonce}'; worker-src blob:; connect-src ${connect}`,
      ),
    };
  };
}

function compile(messages: Messages, notes: readonly string[], script: string) {
  const html = frameDocument({
    messages,
    title: messages.checking.heading,
    bodyAttributes: ' data-ticket="{{ticket}}" data-upload="{{uploadUrl}}"',
    body: screens(messages, notes),
    script: `<script nonce="{{nonce}}">${script}</script>\n`,
  });
  return compileTemplate(html, ['nonce', 'ticket', 'uploadUrl', 'reference']);
}

/** All screens at once: the script only chooses. Without scripts, style hides all but the last. */
function screens(messages: Messages, notes: readonly string[]): string {
  const { checking, retry, failed, cookies, noScript } = messages;
  const check = { ...checking, paragraphs: [...checking.paragraphs, ...notes] };
  const button = (action: 'again' | 'reload') =>
    `<button type="button" data-action="${action}">${escapeHtml(messages.tryAgain)}</button>`;
  return `<div role="status" aria-live="polite">
<section data-screen="checking">${screenHtml(check)}<div class="bar" aria-hidden="true"><i></i></div></section>
<section data-screen="retry" hidden>${screenHtml(retry)}${button('again')}</section>
<section data-screen="failed" hidden>${screenHtml(failed)}${button('reload')}</section>
<section data-screen="cookies" hidden>${screenHtml(cookies)}${button('reload')}</section>
</div>
<noscript><style nonce="{{nonce}}">[data-screen]{display:none}</style><section>${screenHtml(noScript)}</section></noscript>`;
}
