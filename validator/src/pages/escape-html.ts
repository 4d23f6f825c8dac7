/** Escapes text for element content and for quoted attributes. */
export function escapeHtml(text: string): string {
  let escapedText = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const entity = entityOf(text.charCodeAt(at));
    if (entity === undefined) continue;
    escapedText += text.slice(from, at) + entity;
    from = at + 1;
  }
  return from === 0 ? text : escapedText + text.slice(from);
}

function entityOf(code: number): string | undefined {
  switch (code) {
    case 0x26:
      return '&amp;';
    case 0x3c:
      return '&lt;';
    case 0x3e:
      return '&gt;';
    case 0x22:
      return '&quot;';
    case 0x27:
      return '&#39;';
    default:
      return undefined;
  }
}
