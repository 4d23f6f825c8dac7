import { isPlainName, quote, type SettingPath } from '../problems/problems.ts';
import type { Place } from './settings-node.ts';

const SECRET_NAMES: ReadonlySet<string> = new Set([
  'secret',
  'secret_keys',
  'analytics_keys',
  'health_check_token',
  'key',
  'password',
  'client_secret',
  // With the URL of a chat webhook, a stranger can post in the chat. The URL of a mail server contains its password.
  'webhook',
  'server',
  // A rule can require a header or a parameter with a shared secret.
  'header',
  'query',
]);
const PUBLIC_NAMES: ReadonlySet<string> = new Set(['id', 'health', 'expires']);

/** This is not a plain name, so a formatted path does not contain it. */
const HIDDEN_NAME = '…';

/** Whether a misplaced quote could have moved a secret to this setting: `{ id: "backend, key: …" }`. */
function isNextToSecret(path: SettingPath): boolean {
  return path.some((step) => typeof step === 'string' && SECRET_NAMES.has(step));
}

export function isSecret(path: SettingPath): boolean {
  const last = path.at(-1);
  if (typeof last === 'string' && PUBLIC_NAMES.has(last)) return false;
  return isNextToSecret(path);
}

/**
 * The path in a form that a problem can show before the schema has read the file. Below a setting with a secret, only
 * names of settings, headers and parameters are shown. Another name can be the secret itself, written before the colon
 * by mistake.
 */
export function shownPath(path: SettingPath): SettingPath {
  return path.map((step, index) => {
    if (typeof step === 'number' || !isNextToSecret(path.slice(0, index))) return step;
    const isSetting = SECRET_NAMES.has(step) || PUBLIC_NAMES.has(step);
    const parent = path[index - 1];
    return isSetting || parent === 'header' || parent === 'query' ? step : HIDDEN_NAME;
  });
}

/** Describes the found value. A value that is a secret, or that can contain a secret, is hidden. */
export function describeFound(place: Place, path: SettingPath): string {
  if (place.kind === 'absent') return 'nothing';
  const { node } = place;
  switch (node.kind) {
    case 'list':
      return node.items.length === 0 ? 'an empty list' : 'a list';
    case 'mapping':
      return 'a mapping';
    case 'null':
      return node.written === '' ? 'nothing' : node.written;
    case 'number':
    case 'boolean': {
      const kind = node.kind === 'number' ? 'a number' : 'true or false';
      return isSecret(path) ? kind : `${quote(node.written).slice(1, -1)} (${kind})`;
    }
    case 'text':
      return node.oneLine ? describeText(node.written, path) : 'text on several lines';
    case 'unusable':
      return 'a value that could not be read';
  }
}

function describeText(written: string, path: SettingPath): string {
  return isSecret(path) || (isNextToSecret(path) && !isPlainName(written))
    ? describeSecret(written)
    : quote(withoutCredentials(written));
}

/** A reference to the environment is shown, because it does not contain the value of the secret. */
function describeSecret(written: string): string {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(written) ? written : 'text (not shown)';
}

/** User information and query of a URL can contain passwords. A URL with a mistake can lack its slashes. */
function withoutCredentials(text: string): string {
  return text
    .replace(/\/\/.*@/s, '//…@')
    .replace(/:(?!\/\/…@).*@/s, ':…@')
    .replace(/(:\/\/[^?]*)\?.*/s, '$1?…');
}
