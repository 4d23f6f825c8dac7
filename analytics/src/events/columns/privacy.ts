import type { EventPrivacy } from '@guard/config/settings/sections/event-privacy';
import { mayContainAddress } from '@guard/config/contract/address-headers';
import { EVENT_COLUMNS } from './event-columns.ts';
import type { ColumnValues, EventColumn } from './column.ts';
import { truncateAddress } from '@guard/config/net/truncate-address';

/** Returns the columns without the values that the settings forbid to keep. */
export function privateColumns(privacy: EventPrivacy | undefined): readonly EventColumn[] {
  if (privacy === undefined) return EVENT_COLUMNS;
  const { truncate_ip: truncatesIp, drop_headers: headerNames } = privacy;
  const droppedHeaders = new Set(headerNames);
  return EVENT_COLUMNS.map((column) => ({
    ...column,
    values: withholdValues(column, truncatesIp, droppedHeaders),
  }));
}

/** Returns the names of the columns that are always empty with these settings. */
export function emptyColumns({ drop_headers: droppedHeaders }: EventPrivacy): ReadonlySet<string> {
  const headerColumns = EVENT_COLUMNS.filter(
    ({ header }) => header !== undefined && droppedHeaders.includes(header),
  );
  return new Set(headerColumns.map(({ name }) => name));
}

function withholdValues(
  { name, header, values }: EventColumn,
  truncatesIp: boolean,
  droppedHeaders: ReadonlySet<string>,
): ColumnValues {
  if (header !== undefined && droppedHeaders.has(header)) return emptyOf(values);
  if (values.kind === 'fields') {
    const { isKept } = values;
    return {
      ...values,
      isKept: (field) =>
        // Truncation has no use if a kept header field contains the full address.
        isKept(field) && !droppedHeaders.has(field) && !(truncatesIp && mayContainAddress(field)),
    };
  }
  if (name !== 'ip' || !truncatesIp || values.kind !== 'text') return values;
  const { read } = values;
  return { ...values, read: (event) => truncateAddress(read(event)) };
}

/** Returns a source of the same kind whose values are always empty. */
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
