import { expect, test } from 'vitest';
import { placeholderMessage } from './weak-secret.ts';

test.each([
  '$GUARD_SECRET',
  '$guard_secret_of_this_site',
  '$(GUARD_SECRET)',
  '%GUARD_SECRET%',
  'sk_api_ro_$ANALYTICS_KEY',
  '{{GUARD_SECRET_FROM_VAULT}}',
  'sk_{{ .Values.key }}',
  '<secret>',
  '<%= secret %>',
  'sk_api_ro_<something long>',
])('%s is refused as a placeholder, and the message does not show it', (text) => {
  expect(placeholderMessage(text)).toMatch(/^expected a value, this is /);
  expect(placeholderMessage(text)).not.toContain(text);
});

test.each([
  'p$w0rd$5a8d4036c1e7',
  '$2b$12$5a8d4036c1e7f4b2a9d850',
  '${c1e7}f4b2a9d85036',
  '5a8d{4036}c1e7',
  'a<b>c5a8d4036c1e7',
])('%s is not a placeholder, although it has characters of a placeholder', (text) => {
  expect(placeholderMessage(text)).toBeUndefined();
});
