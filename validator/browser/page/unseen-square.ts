import { LAYOUT_SIDE } from '../../page-contract/limits.ts';

/**
 * Calls `measure` with an invisible square, and then removes the square. `host` is the square, and the style sheets of
 * the page do not affect its `shadow`. Its parent is <html>, because some pages scale or hide their body.
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

/** Adds a box with these declarations as the last child of `holder`. */
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
