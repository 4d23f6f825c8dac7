import { maskJson } from './mask-json.ts';
import { isShownName, MASK, maskText } from './mask-text.ts';
import type { SampledContent } from './sampled-content.ts';
import type { SecretNames } from './secret-names.ts';

/**
 * The beginning of a body without the values of fields that speak of secrets, wherever it was cut. What
 * it announces to be is not believed: many send JSON as text, or as a form.
 */
export function maskSecrets(text: string, content: SampledContent, names: SecretNames): string {
  if (/^\s*[{[]/.test(text)) return maskJson(text, names);
  return content === 'form' ? maskForm(text, names) : maskText(text, names);
}

/** Pairs as `application/x-www-form-urlencoded` has them, each as it was sent. */
function maskForm(text: string, names: SecretNames): string {
  return text
    .split('&')
    .map((pair) => maskPair(pair, names))
    .join('&');
}

function maskPair(pair: string, names: SecretNames): string {
  if (!names.mayName(decoded(pair))) return pair;
  const equals = pair.indexOf('=');
  if (equals === -1) return names.firstIn(decoded(pair)) === -1 ? pair : MASK;
  const sentName = pair.slice(0, equals);
  const name = decoded(sentName);
  if (names.isSecret(name)) return isShownName(name) ? `${sentName}=${MASK}` : MASK;
  // A value can hold a form or JSON of its own.
  const value = decoded(pair.slice(equals + 1));
  return names.firstIn(value) === -1 ? pair : `${sentName}=${MASK}`;
}

/** What is no escape stays as it is, like the half of one at the end of a sample. */
function decoded(text: string): string {
  if (!/[+%]/.test(text)) return text;
  return text.replaceAll('+', ' ').replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    return Buffer.from(run.replaceAll('%', ''), 'hex').toString();
  });
}
