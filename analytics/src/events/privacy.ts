import type { EventPrivacy } from '@guard/config/settings/event-privacy';
import { EVENT_COLUMNS } from './columns.ts';
import type { ColumnValues, EventColumn } from './columns.ts';
import { truncateAddress } from '@guard/config/net/truncate-address';

/** Fields in which proxies tell the visitor's address: kept, they would undo its truncation. */
const ADDRESS_HEADERS = [
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'client-ip',
  'cloudfront-viewer-address',
  'do-connecting-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'forwarded',
  'forwarded-for',
  'true-client-ip',
  'x-appengine-user-ip',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-forwarded',
  'x-forwarded-for',
  'x-nf-client-connection-ip',
  'x-original-forwarded-for',
  'x-originating-ip',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
  'x-vercel-forwarded-for',
];

/** Columns of their own that are made from a header field. */
const MADE_FROM: ReadonlyMap<string, string> = new Map([
  ['user_agent', 'user-agent'],
  ['referrer_origin', 'referer'],
]);

/** The columns of the table, with values of which the settings allow that they are kept. */
export function privateColumns(privacy: EventPrivacy | undefined): readonly EventColumn[] {
  if (privacy === undefined) return EVENT_COLUMNS;
  const { truncate_ip: truncate, drop_headers: named } = privacy;
  const dropped = new Set(truncate ? [...named, ...ADDRESS_HEADERS] : named);
  return EVENT_COLUMNS.map((column) => ({
    ...column,
    values: withhold(column, truncate, dropped),
  }));
}

function withhold(
  { name, values }: EventColumn,
  truncate: boolean,
  dropped: ReadonlySet<string>,
): ColumnValues {
  if (values.kind === 'fields') {
    const { nameOf } = values;
    return {
      ...values,
      nameOf: (field) => {
        const stored = nameOf(field);
        return stored === undefined || dropped.has(stored) ? undefined : stored;
      },
    };
  }
  if (values.kind !== 'text') return values;
  const { read } = values;
  if (name === 'ip' && truncate) {
    return { ...values, read: (event) => truncateAddress(read(event)) };
  }
  const source = MADE_FROM.get(name);
  return source !== undefined && dropped.has(source) ? { ...values, read: () => '' } : values;
}
