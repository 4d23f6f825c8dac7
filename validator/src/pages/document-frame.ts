import { escapeHtml } from './escape-html.ts';
import type { Messages, ScreenText } from './messages.ts';
import { mark, style } from './style.ts';

/** The document around every page; `{{nonce}}` and what `body` names are left for the request. */
export function frameDocument(options: {
  readonly messages: Messages;
  readonly title: string;
  /** Attributes of the body element, from our own code. */
  readonly bodyAttributes: string;
  readonly body: string;
  readonly script: string;
}): string {
  const { messages, title, bodyAttributes, body, script } = options;
  return `<!doctype html>
<html lang="${messages.language}" dir="${messages.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<style nonce="{{nonce}}">${style}</style>
</head>
<body${bodyAttributes}>
<main>
${mark}
${body}
<footer>${escapeHtml(messages.reference)}: <code>{{reference}}</code></footer>
</main>
${script}</body>
</html>
`;
}

/** Heading and paragraphs of one screen; the heading takes the focus when the screen appears. */
export function screenHtml({ heading, paragraphs }: ScreenText): string {
  const texts = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`);
  return `<h1 tabindex="-1">${escapeHtml(heading)}</h1>${texts.join('')}`;
}
