import type { EventPrivacy } from '@guard/config/settings/sections/event-privacy';
import { mayContainAddress } from '@guard/config/contract/address-headers';
import { EVENT_COLUMNS } from './event-columns.ts';
import type { ColumnValues, EventColumn } from './column.ts';
import { truncateAddress } from '@guard/config/net/truncate-address';

/** The columns without the values that the settings forbid to keep. */
export function privateColumns(privacy: EventPrivacy | undefined): readonly EventColumn[] {
  if (privacy === undefined) return EVENT_COLUMNS;
  const { truncate_ip: truncate, drop_headers: named } = privacy;
  const dropped = new Set(named);
  return EVENT_COLUMNS.map((column) => ({
    ...column,
    values: withhold(column, truncate, dropped),
  }));
}

/** Names of the columns that are always empty with these settings. */
export function emptyColumns({ drop_headers: dropped }: EventPrivacy): ReadonlySet<string> {
  const made = EVENT_COLUMNS.filter(({ from }) => from !== undefined && dropped.includes(from));
  return new Set(made.map(({ name }) => name));
}

function withhold(
  { name, from, values }: EventColumn,
  truncate: boolean,
  dropped: ReadonlySet<string>,
): ColumnValues {
  if (from !== undefined && dropped.has(from)) return emptyOf(values);
  if (values.kind === 'fields') {
    const { isKept } = values;
    return {
      ...values,
      isKept: (field) =>
        // An address in a kept header would defeat the truncation.
        isKept(field) && !dropped.has(field) && !(truncate && mayContainAddress(field)),
    };
  }
  if (name !== 'ip' || !truncate || values.kind !== 'text') return values;
  const { read } = values;
  return { ...values, read: (event) => truncateAddress(read(event)) };
}

/** Values of the same kind that are always empty. */
function emptyOf(values: ColumnValues): ColumnValues {
  switch (values.kind) {
    case 'word':
    case 'text':
    case 'uuid':
      return { ...values, read: () => '' };
    case 'words':
      return { ...values, read: () => [] };
    case 'time':
    case 'count':
      return { ...values, read: () => 0 };
    case 'flag':
      return { ...values, read: () => false };
    case 'fields':
      return { ...values, read: () => ({}) };
  }
}
