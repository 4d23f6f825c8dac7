/**
 * Finds a fault in a challenge page of the user. The Content-Security-Policy of the page allows only scripts and styles
 * with the nonce of the answer, and no fetches. A visitor's browser would ignore other elements without a message, so
 * they are reported here.
 */

/** A fault and its position. Line and column are counted from 1. */
interface TemplateFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Placeholders that a template must have exactly once. */
const REQUIRED_PLACEHOLDERS = ['head', 'challenge'] as const;
const KNOWN_PLACEHOLDERS: readonly string[] = [...REQUIRED_PLACEHOLDERS, 'lang', 'dir', 'nonce'];

/** Matches a comment, or a start tag with its attributes. */
const MARKUP = /<!--[^]*?(?:-->|$)|<([a-z][^\s/>]*)((?:[^"'>]|"[^"]*"|'[^']*')*)>/gi;
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

const FORBIDDEN_ELEMENTS: Readonly<Record<string, string>> = {
  script: 'the page runs only the script of the check itself',
  base: 'it would move where the check is uploaded to',
  iframe: 'the page fetches nothing from elsewhere',
  object: 'the page fetches nothing from elsewhere',
  embed: 'the page fetches nothing from elsewhere',
  link: 'the page fetches nothing from elsewhere; write styles into <style nonce="{{nonce}}">',
  form: 'the page sends nothing but the check',
};

/** Finds the first fault of a template. Undefined when the template is valid. */
export function templateFault(html: string): TemplateFault | undefined {
  const fault = placeholderFault(html) ?? markupFault(html);
  return fault && { ...positionOf(html, fault.at), message: fault.message };
}

interface FaultAt {
  readonly at: number;
  readonly message: string;
}

function placeholderFault(html: string): FaultAt | undefined {
  const seenNames = new Set<string>();
  for (const { 1: name = '', index } of html.matchAll(/\{\{(\w+)\}\}/g)) {
    if (!KNOWN_PLACEHOLDERS.includes(name))
      return { at: index, message: `there is no placeholder {{${name}}}` };
    if (
      seenNames.has(name) &&
      REQUIRED_PLACEHOLDERS.some((requiredName) => requiredName === name)
    ) {
      return { at: index, message: `{{${name}}} may stand only once` };
    }
    seenNames.add(name);
  }
  const missing = REQUIRED_PLACEHOLDERS.find((name) => !seenNames.has(name));
  if (missing === undefined) return undefined;
  const placeText = missing === 'head' ? '<head>' : '<body>';
  return { at: html.length, message: `{{${missing}}} is missing; it belongs into ${placeText}` };
}

function markupFault(html: string): FaultAt | undefined {
  for (const { 0: text, 1: name, 2: attributes = '', index } of html.matchAll(MARKUP)) {
    if (name === undefined) {
      if (/\{\{(?:head|challenge)\}\}/.test(text)) {
        return { at: index, message: 'this comment hides a placeholder that is needed' };
      }
      continue;
    }
    const element = name.toLowerCase();
    const reason = FORBIDDEN_ELEMENTS[element];
    if (reason !== undefined)
      return { at: index, message: `<${element}> cannot be used: ${reason}` };
    const fault = elementFault(element, attributes);
    if (fault !== undefined) return { at: index, message: fault };
  }
  return undefined;
}

function elementFault(element: string, text: string): string | undefined {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    attributes.set(name.toLowerCase(), double ?? single ?? bare ?? '');
  }
  if (element === 'style' && attributes.get('nonce') !== '{{nonce}}') {
    return '<style> needs nonce="{{nonce}}", or browsers ignore it';
  }
  if (element === 'meta' && attributes.has('http-equiv')) {
    return '<meta http-equiv> cannot be used: the headers of the answer decide';
  }
  for (const [name, value] of attributes) {
    const fault = attributeFault(element, name, value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function attributeFault(element: string, name: string, value: string): string | undefined {
  if (/^on/.test(name)) return `${name}= cannot be used: browsers run no inline handlers here`;
  if (name === 'style') return 'style= cannot be used: write it into <style nonce="{{nonce}}">';
  if (/\{\{(?:head|challenge)\}\}/.test(value)) return `a placeholder cannot stand in ${name}=`;
  if (/^\s*javascript:/i.test(value)) return `javascript: cannot be used in ${name}=`;
  const isFetched = ['src', 'srcset', 'poster', 'data', 'background'].includes(name);
  if (isFetched && !/^data:image\//i.test(value)) {
    return `<${element} ${name}> needs a data:image/… URL: the page fetches nothing from elsewhere`;
  }
  return undefined;
}

/** The position of an index in a text. Line and column are counted from 1. */
export function positionOf(
  html: string,
  at: number,
): { readonly line: number; readonly column: number } {
  const textBefore = html.slice(0, at);
  return { line: textBefore.split('\n').length, column: at - textBefore.lastIndexOf('\n') };
}
