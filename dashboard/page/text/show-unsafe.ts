import { escapeUnsafeInLines } from '@guard/config/contract/printable';
import { options } from 'preact';

/** Attributes with text that people see or hear. */
const TEXT_ATTRIBUTES = ['title', 'aria-label'] as const;

/**
 * In all texts of the page, shows characters that hide or reverse text as escapes, such as `\u202e`. Nearly every text
 * can come from a visitor. Values for filters, links and the clipboard are not changed.
 */
export function showUnsafeCharacters(): void {
  const nextHook = options.vnode?.bind(options);
  options.vnode = (vnode) => {
    const node: { readonly type: unknown; props: unknown } = vnode;
    // A text has no type, and its props are the text.
    if (typeof node.props === 'string') node.props = escapeUnsafeInLines(node.props);
    else if (typeof node.type === 'string') node.props = withShownAttributes(node.props);
    nextHook?.(vnode);
  };
}

function withShownAttributes(props: unknown): unknown {
  if (typeof props !== 'object' || props === null) return props;
  const given = props as Readonly<Record<string, unknown>>;
  const shown = TEXT_ATTRIBUTES.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' ? [[name, escapeUnsafeInLines(value)] as const] : [];
  });
  return shown.length === 0 ? props : { ...props, ...Object.fromEntries(shown) };
}
