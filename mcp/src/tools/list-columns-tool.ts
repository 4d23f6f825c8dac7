import type { Column, ListColumns, QueryCaller } from '@guard/config/contract/ports';
import { z } from 'zod';
import type { Tool } from '../edge/tool.ts';

/**
 * The tool `list_columns` (contract 4.4) returns each readable column of events_distributed. Every call reads the
 * columns from the database.
 */
export function createListColumnsTool(listColumns: ListColumns): Tool<QueryCaller> {
  return {
    name: 'list_columns',
    title: 'List columns',
    description:
      'Lists every readable column of events_distributed with its database type and meaning, one ' +
      'column per line. Nothing else returns the list of columns.',
    input: z.object({}),
    call: async () => {
      const columns = await listColumns().catch(() => undefined);
      return columns === undefined
        ? { kind: 'error', text: 'The database is not reachable at the moment. Try again later.' }
        : { kind: 'text', text: columns.map(columnLine).join('\n'), structured: { columns } };
    },
  };
}

/** A line has name, type and meaning of a column, separated by tabs. */
function columnLine({ name, type, comment }: Column): string {
  return [name, type, comment].filter((field) => field !== '').join('\t');
}
