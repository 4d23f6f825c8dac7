import type { AuthenticateBearer, Clock } from '../../contract/ports.ts';
import { KeyRing } from './key-ring.ts';
import type { Organisation } from '../schema.ts';

/** RFC 6750 bearer tokens against the analytics keys of all organisations (contract 5). */
export function createBearerAuth(
  organisations: readonly Pick<Organisation, 'id' | 'analytics_keys'>[],
  clock: Clock,
): AuthenticateBearer {
  const ring = new KeyRing(
    organisations.flatMap(({ id: organisation, analytics_keys }) =>
      analytics_keys.map(({ id, key, expires }) => {
        return { key, expires, holder: { organisation, key: id } };
      }),
    ),
  );
  return (authorization) => {
    const token = /^Bearer +([!-~]{1,256})$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : ring.find(token, clock())?.holder;
  };
}
