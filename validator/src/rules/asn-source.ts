import { type AsnOf, openAsns } from '@guard/config/catalogue/asn';
import type { Organisation } from '@guard/config/settings/schema';
import { asksFor } from './compile-match.ts';

/**
 * The look-up of autonomous systems, in the bundled table or a database at `path`. It is opened here
 * when a rule matches on one or a database is given, so that a start fails and no request waits;
 * without either it costs nothing until somebody asks all the same, such as `guard explain`.
 */
export function asnSource(organisations: readonly Organisation[], path?: string): AsnOf {
  const isAsked = organisations.some(({ rules }) =>
    rules.some(({ match }) => asksFor('asn', match)),
  );
  let asnOf = isAsked || path !== undefined ? openAsns(path) : undefined;
  return (ip) => (asnOf ??= openAsns(path))(ip);
}
