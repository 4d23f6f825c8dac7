/** Escapes a text, so that it is safe between tags and in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * This private-use character replaces a piece of code while the text around the code is rendered. No page contains the
 * character.
 */
const CODE_PLACEHOLDER = '\uE000';

/** A piece of code, or the target of a link. A backtick in a target does not start code. */
const TARGET_OR_CODE = /\]\((?:https?:\/\/|\/|#)[^)\s]*\)|`([^`]+)`/g;

/** Renders the inline Markdown of the pages: `code`, **strong**, *emphasis* or _emphasis_, [link](/), ![image](/). */
export function renderInline(markdown: string): string {
  const codes: string[] = [];
  const textWithPlaceholders = markdown
    .replaceAll(CODE_PLACEHOLDER, '')
    .replaceAll(TARGET_OR_CODE, (whole, code?: string) => {
      if (code === undefined) return whole;
      codes.push(`<code>${escapeHtml(code)}</code>`);
      return CODE_PLACEHOLDER;
    });
  return renderText(textWithPlaceholders).replaceAll(CODE_PLACEHOLDER, () => codes.shift() ?? '');
}

function renderText(text: string): string {
  return (
    escapeHtml(text)
      .replaceAll(
        /!\[([^\]\uE000]+)\]\((\/images\/[a-z0-9-]+\.png)\)/g,
        '<img src="$2" alt="$1" loading="lazy">',
      )
      .replaceAll(/\[([^\]]+)\]\(((?:https?:\/\/|\/|#)[^)\s]*)\)/g, '<a href="$2">$1</a>')
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
      .replaceAll(/\*([^*\s][^*]*)\*/g, '<em>$1</em>')
      // An underscore inside a word starts no emphasis, because it is part of a name.
      .replaceAll(/(?<![\w/])_([^_\s][^_]*)_(?!\w)/g, '<em>$1</em>')
  );
}
