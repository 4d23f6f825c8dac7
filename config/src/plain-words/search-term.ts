type SearchTerm =
  | {
      readonly kind: 'reference' | 'address' | 'session' | 'request' | 'path' | 'network';
      readonly value: string;
    }
  | { readonly kind: 'nothing' };

/** Finds out from the form of a text what a person searches for. */
export function parseSearchTerm(typedText: string): SearchTerm {
  const value = typedText.trim();
  if (value === '') return { kind: 'nothing' };
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) {
    return { kind: 'request', value: value.toLowerCase() };
  }
  if (/^[0-9a-f]{32}$/i.test(value)) return { kind: 'session', value: value.toLowerCase() };
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(value)) return { kind: 'address', value };
  if (/^[0-9a-f.:]+\/(?:24|48)$/i.test(value)) {
    return { kind: 'network', value: value.toLowerCase() };
  }
  if (/^[0-9a-f]*:[0-9a-f:.]*$/i.test(value) && value.split(':').length > 2) {
    return { kind: 'address', value: value.toLowerCase() };
  }
  // Crockford's base 32 has no letters that people confuse with digits.
  const code = value.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
  if (/^[0-9A-Z]{8}$/.test(code) && !value.startsWith('/')) {
    return { kind: 'reference', value: code };
  }
  return { kind: 'path', value: value.startsWith('/') ? value : `/${value}` };
}
