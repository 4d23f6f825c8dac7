import type { KeyList } from '@guard/config/settings/keys/edit-key-list';
import type { Settings } from '@guard/config/settings/schema';

/** An entry in the form that `guard keys list` shows, without the key and its hash. */
interface KeyView {
  readonly id: string;
  readonly organisation: string;
  readonly kind: KeyKind;
  /** The last day on which the key is valid, in UTC. Null for a key that does not expire. */
  readonly expires: string | null;
  readonly state: 'live' | 'expired';
}

export const KINDS = ['analytics', 'secret'] as const;
export type KeyKind = (typeof KINDS)[number];

export const LIST_OF: Readonly<Record<KeyKind, KeyList>> = {
  analytics: 'analytics_keys',
  secret: 'secret_keys',
};

/** The keys of all organisations, or of one, in the order of the file. */
export function listKeys(
  { organisations }: Pick<Settings, 'organisations'>,
  organisationId: string | undefined,
  nowMs: number,
): KeyView[] {
  return organisations
    .filter(({ id }) => organisationId === undefined || id === organisationId)
    .flatMap((organisation) =>
      KINDS.flatMap((kind) =>
        organisation[LIST_OF[kind]].map(({ id, expires }): KeyView => {
          const isOver = expires !== undefined && expires <= nowMs;
          return {
            id,
            organisation: organisation.id,
            kind,
            expires: expires === undefined ? null : lastDayOf(expires),
            state: isOver ? 'expired' : 'live',
          };
        }),
      ),
    );
}

/** `expiresMs` is the first millisecond after the last day. */
function lastDayOf(expiresMs: number): string {
  return new Date(expiresMs - 1).toISOString().slice(0, 10);
}
