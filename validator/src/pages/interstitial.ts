import type { Program } from '../../page-contract/program.ts';
import { frameDocument, paragraph, screenHtml, trapName } from './document-frame.ts';
import { escapeHtml } from './escape-html.ts';
import type { FormSource } from '../request/form-source.ts';
import type { Look } from './look.ts';
import type { Messages, ScreenText } from './messages.ts';
import { createPageCache } from './page-cache.ts';
import { newNonce, pageHeaders } from './page-headers.ts';
import { compileTemplate, type Fill, type FilledTemplate } from './template.ts';

export interface InterstitialOptions {
  readonly program: Pick<Program, 'script' | 'dataNames'>;
  /** The sealed ticket as base64url. */
  readonly ticket: string;
  /**
   * The style sheet (challenge/cascade/sheet.ts). `sheet`, `witnesses` and `questions` are safe in an attribute in
   * double quotes.
   */
  readonly sheet: string;
  /** The witness document (challenge/witnesses/). Empty for none, and always empty when `uploadUrl` is absolute. */
  readonly witnesses?: string;
  /** The questions to the page (challenge/learned/). Empty for none. */
  readonly questions?: string;
  /** The session of the challenge. The page needs it, because a browser can have several `_guard` cookies. */
  readonly session: string;
  /** The URL for the page's upload: a path on the site itself, or an absolute URL. */
  readonly uploadUrl: string;
  readonly reference: string;
  /** The texts of one language of languages.ts. */
  readonly messages: Messages;
  /** The source of the form in the challenged request. The page sends only the site's own form again. */
  readonly form: FormSource;
  readonly look: Look;
  /** The result of embedderOf (embedder.ts). */
  readonly embedder?: string | undefined;
  /** URL of the hidden link (challenge/trap-link.ts). No link by default. */
  readonly trap?: string;
}

/** A page, and the headers with which it must be served (contract 3). */
export interface RenderedPage {
  /** The HTML text in UTF-8. */
  readonly html: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

type RenderInterstitial = (options: InterstitialOptions) => RenderedPage & FilledTemplate;

const NAMES = [
  'nonce',
  'ticket',
  'sheetName',
  'sheet',
  'witnessesName',
  'witnesses',
  'sessionName',
  'questionsName',
  'questions',
  'session',
  'uploadUrl',
  'reference',
  'script',
] as const;
/** These values contain no character that ends an attribute, so they are not escaped. */
const SAFE_VALUES = ['sheet', 'witnesses', 'questions'] as const;
type FillPage = Fill<(typeof NAMES)[number] | 'trap'>;

/**
 * Creates the function that renders challenge pages. A page is compiled once, and each request only fills in its
 * values.
 */
export function createInterstitial(): RenderInterstitial {
  const pageFor = createPageCache<FillPage>();
  return ({
    program,
    messages,
    form,
    look,
    embedder,
    trap = '',
    witnesses = '',
    questions = '',
    ...otherValues
  }) => {
    const { uploadUrl } = otherValues;
    const { script, dataNames } = program;
    const hasTrap = trap !== '';
    const nonce = newNonce();
    const isOwnHost = uploadUrl.startsWith('/');
    const connect = isOwnHost ? "'self'" : new URL(uploadUrl).origin;
    // The policy allows the echo page (challenge/echo-page.ts) and the frame around it. Both inherit the policy.
    const frames = isOwnHost ? " frame-src data: 'self';" : '';
    // The policy allows the witness files (challenge/witnesses/) and the images of the look.
    const files = isOwnHost
      ? `${look.cspAddition || '; img-src'} 'self'; font-src 'self'`
      : look.cspAddition;
    const fill = pageFor(look, `${messages.language} ${form} ${hasTrap}`, () =>
      compile(look, messages, form, hasTrap),
    );
    return {
      ...fill({
        ...otherValues,
        nonce,
        trap,
        witnesses,
        questions,
        script,
        sheetName: dataNames.sheet,
        witnessesName: dataNames.witnesses,
        questionsName: dataNames.questions,
        sessionName: dataNames.session,
      }),
      headers: pageHeaders(
        nonce,
        `${files}; script-src 'nonce-${nonce}'; worker-src blob:;${frames} connect-src ${connect}`,
        embedder,
      ),
    };
  };
}

function compile(look: Look, messages: Messages, form: FormSource, hasTrap: boolean): FillPage {
  const html = frameDocument({
    messages,
    look,
    title: messages.checking.heading,
    attributes: ` data-ticket="{{ticket}}" data-{{sheetName}}="{{sheet}}" data-{{witnessesName}}="{{witnesses}}" data-{{questionsName}}="{{questions}}" data-{{sessionName}}="{{session}}" data-upload="{{uploadUrl}}" data-form="${form}"`,
    content: screens(messages, form),
    script: `<script nonce="{{nonce}}">{{script}}</script>`,
    hasTrap,
    ownTemplate: true,
  });
  return compileTemplate(html, [...NAMES, ...trapName(hasTrap)], SAFE_VALUES);
}

/**
 * All screens of the page. The page's script shows one of them. Without scripts, the style in `noscript` hides all of
 * them, and the page shows the text of `noscript`. Text browsers show hidden elements too, but not the text of scripts.
 * So all screens except `checking` are in a script element until the page unfolds them.
 */
function screens(messages: Messages, form: FormSource): string {
  const { checking } = messages;
  const note = form === 'own' ? paragraph(messages.resubmission) : '';
  const again = button('again', messages.tryAgain);
  const back = button('back', messages.goBack, ' class="guard-quiet"');
  // A reload would send a foreign form again from this page, so there is only the way back.
  const reload =
    form === 'foreign' ? button('back', messages.goBack) : button('reload', messages.tryAgain);
  const bar = '<div class="guard-bar" aria-hidden="true"><i></i></div>';
  return `<noscript><style nonce="{{nonce}}">.guard [data-screen]{display:none}</style><section>${screenHtml(messages.noScript)}</section></noscript>
<div role="status" aria-live="polite">
${section('checking', checking, note + bar, '')}
<script type="text/html" nonce="{{nonce}}">
${section('waiting', { ...checking, text: messages.waiting }, bar)}
${section('working', { ...checking, text: messages.working }, bar)}
${section('doubted', { ...checking, text: messages.doubted }, bar)}
${form === 'none' ? section('opening', messages.opening, back) : ''}
${form === 'own' ? section('resend', messages.resend, button('reload', messages.send) + back) : ''}
${form === 'foreign' ? section('elsewhere', messages.elsewhere, button('back', messages.goBack)) : ''}
${section('retry', messages.retry, again)}
${section('failed', messages.failed, reload)}
${section('cookies', messages.cookies, reload)}
</script></div>`;
}

function section(
  name: string,
  screenText: ScreenText,
  extraHtml: string,
  hidden = ' hidden',
): string {
  return `<section data-screen="${name}"${hidden}>${screenHtml(screenText)}${extraHtml}</section>`;
}

/** A button. The script of the page handles its action. */
function button(action: 'again' | 'reload' | 'back', label: string, attributes = ''): string {
  return `<button type="button" data-action="${action}"${attributes}>${escapeHtml(label)}</button>`;
}
