import { escapeHtml } from './escape-html.ts';
import type { Look } from './look.ts';
import type { Messages, ScreenText } from './messages.ts';
import { cardStyle, screenStyle } from './style.ts';

/** The document around every page without its own template. */
const BUILT_IN = `<!doctype html>
<html lang="{{lang}}" dir="{{dir}}">
<head>
{{head}}
<style nonce="{{nonce}}">${cardStyle}</style>
</head>
<body>
<main>
{{brand}}
{{challenge}}
</main>
</body>
</html>
`;

/** A link inside a comment. Only a program that searches the text of a page for links finds it. */
const TRAP = '<!-- <a href="{{trap}}" rel="nofollow">Archive</a> -->\n';

/**
 * Builds a page in one language and one look. The remaining placeholders `{{name}}` are filled in for each request: the
 * nonce, the reference code, and the placeholders in `content`.
 */
export function frameDocument(options: {
  readonly messages: Messages;
  readonly look: Look;
  readonly title: string;
  /** Attributes of the element around the content. They are not escaped, because only code of Guard writes them. */
  readonly attributes: string;
  readonly content: string;
  readonly script: string;
  /** Whether the page has a hidden link. Its URL is the placeholder `trap`. */
  readonly hasTrap: boolean;
  /** Whether this page uses the organisation's own template, if there is one. */
  readonly ownTemplate: boolean;
}): string {
  const { messages, look, title, attributes, content, script, hasTrap, ownTemplate } = options;
  const fixedValues: Readonly<Record<string, string>> = {
    lang: messages.language,
    dir: messages.direction,
    head: headHtml(title, look),
    brand: look.brand,
    challenge: `<div class="guard" lang="${messages.language}" dir="${messages.direction}"${attributes}>
${content}
${footerHtml(messages, look)}
</div>
${hasTrap ? TRAP : ''}${script}`,
  };
  const template = (ownTemplate ? look.template : undefined) ?? BUILT_IN;
  // The replacement is a function, because `replace` would interpret `$` in a replacement text.
  return template.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) =>
    Object.hasOwn(fixedValues, name) ? (fixedValues[name] ?? '') : placeholder,
  );
}

function headHtml(title: string, look: Look): string {
  return `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<style nonce="{{nonce}}">${screenStyle}${look.theme}</style>`;
}

function footerHtml(messages: Messages, look: Look): string {
  const support =
    look.support === undefined
      ? ''
      : `<span>${escapeHtml(messages.support)}: ${supportHtml(look.support, messages)}</span>`;
  return `<footer><span>${escapeHtml(messages.reference)}: <code>{{reference}}</code></span>${support}</footer>`;
}

/** The link to the support. For a mail address, the link sets a subject with the reference code. */
function supportHtml(
  { isMail, href, label }: NonNullable<Look['support']>,
  { reference }: Messages,
): string {
  const subject = isMail
    ? `?subject=${escapeHtml(encodeURIComponent(`${reference} `))}{{reference}}`
    : '';
  return `<a href="${href}${subject}" rel="noreferrer">${label}</a>`;
}

/** The placeholder of the hidden link, if the page has such a link. */
export function trapName(hasTrap: boolean): readonly 'trap'[] {
  return hasTrap ? ['trap'] : [];
}

/**
 * The heading and the text of a screen. `tabindex` lets the page move the focus to the heading when the screen appears.
 */
export function screenHtml({ heading, text }: ScreenText): string {
  return `<h1 tabindex="-1">${escapeHtml(heading)}</h1>${paragraph(text)}`;
}

export function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}
