import { LAYOUT_SIDE } from '../../page-contract/limits.ts';

/**
 * Measures in an invisible square, and removes it. The style sheets of the page do not reach `shadow`. `host` is the
 * square. Its parent is <html>, because a page may scale or hide its body.
 */
export function measureInUnseenSquare<T>(measure: (shadow: ShadowRoot, host: HTMLElement) => T): T {
  const host = document.createElement('div');
  style(
    host,
    `all:initial;position:fixed;left:0;top:0;width:${LAYOUT_SIDE}px;height:${LAYOUT_SIDE}px;visibility:hidden;overflow:hidden;pointer-events:none;direction:ltr`,
  );
  document.documentElement.append(host);
  try {
    return measure(host.attachShadow({ mode: 'closed' }), host);
  } finally {
    host.remove();
  }
}

/** Adds a new box with these declarations at the end of another box. */
export function addBox(holder: Node, css: string): HTMLElement {
  const element = document.createElement('div');
  style(element, css);
  holder.appendChild(element);
  return element;
}

/** Sets styles by script. The Content-Security-Policy of the page allows this, but forbids style attributes. */
function style(element: HTMLElement, css: string): void {
  element.style.cssText = css.replace(/(;|$)/g, '!important$1');
}
