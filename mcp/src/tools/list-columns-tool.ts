import type { Column, ListColumns } from '@guard/config/contract/ports';
import { z } from 'zod';
import type { DataCaller } from './query-tool.ts';
import type { Tool } from '../edge/tool.ts';

/** Contract 4.4 `list_columns`: each readable column of events_distributed, read live on every call. */
export function createListColumnsTool(listColumns: ListColumns): Tool<DataCaller> {
  return {
    name: 'list_columns',
    title: 'List columns',
    description:
      'Every readable column of events_distributed with its database type and what it means, one a ' +
      'line, read live. The only way to read the column list.',
    input: z.object({}),
    call: async () => {
      // The port may reject, because the database may be away.
      const columns = await listColumns().catch(() => undefined);
      return columns === undefined
        ? { kind: 'error', text: 'The database is not reachable at the moment. Try again later.' }
        : { kind: 'text', text: columns.map(line).join('\n'), structured: { columns } };
    },
  };
}

/** Tab-separated: name, type, meaning. */
function line({ name, type, comment }: Column): string {
  return [name, type, comment].filter((field) => field !== '').join('\t');
}
