import { createHash, createHmac } from 'node:crypto';
import type { Account } from './database-client.ts';

/** Database and tables; the same names in both modes (contract 2.7). */
export const DATABASE = 'default';
export const LOCAL_TABLE = 'events';
export const TABLE = 'events_distributed';

/**
 * The account of an organisation: the tenant boundary (contract 5). Its password follows from the
 * secret of the writing account, so that every instance that may write knows it and none stores it.
 *
 * The name cannot meet another account's: no other one begins with `guard_`.
 */
export function organisationAccount(organisation: string, secret: string): Account {
  return {
    user: `guard_${organisation}`,
    password: createHmac('sha256', secret).update(`guard account ${organisation}`).digest('hex'),
  };
}

/** What an account may see of `events`. Identifiers hold nothing that SQL or XML would read. */
export function rowFilter(organisation: string): string {
  return `organisation = '${organisation}'`;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
