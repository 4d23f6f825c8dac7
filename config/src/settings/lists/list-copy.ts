import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../contract/json.ts';
import type { ListKind } from './list-text.ts';

/**
 * The last good copy of a list from a URL: a comment with the source, and then the published list. A running Guard
 * writes it. The code that reads the settings reads it like any other list.
 */

const Origin = z.strictObject({
  /** The URL as `shownUrl` returns it. The file name distinguishes lists with different queries. */
  url: z.string().min(1),
  /** When the list was fetched. */
  fetched_at: z.iso.datetime(),
  /** The ETag of the server for this version. It is used in conditional requests. */
  etag: z.string().optional(),
  last_modified: z.string().optional(),
});
export type ListOrigin = Readonly<z.infer<typeof Origin>>;

export interface FetchedList {
  readonly kind: ListKind;
  readonly url: string;
  /** Milliseconds between two fetches. */
  readonly everyMs: number;
  /** The file of the last good copy. The file can be missing. */
  readonly copyPath: string;
  /** Whether the copy was read as a list. */
  readonly isRead: boolean;
}

export function copyOf(folder: string, kind: ListKind, url: string): string {
  return join(folder, 'lists', `${kind}-${hash('sha256', url, 'hex').slice(0, 16)}.txt`);
}

const ORIGIN_MARK = '# ';

export function formatCopy(origin: ListOrigin, text: string): string {
  return `${ORIGIN_MARK}${JSON.stringify({ ...origin, url: shownUrl(origin.url) })}\n${text}`;
}

export function newOrigin(
  url: string,
  nowMs: number,
  { etag, last_modified }: Pick<ListOrigin, 'etag' | 'last_modified'> = {},
): ListOrigin {
  return {
    url,
    fetched_at: new Date(nowMs).toISOString(),
    etag: etag?.slice(0, 1024),
    last_modified: last_modified?.slice(0, 1024),
  };
}

/** The source that a copy names in its comment. Undefined for a text that is not a copy. */
export function originOf(text: string): ListOrigin | undefined {
  const [first = ''] = text.split('\n', 1);
  return first.startsWith(ORIGIN_MARK)
    ? readJson(Origin, first.slice(ORIGIN_MARK.length))
    : undefined;
}

/** The URL without query and user information, because both can contain a secret. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
