import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../contract/json.ts';
import {
  type AgentDirectory,
  type BotKey,
  Jwk,
  MAX_KEYS,
  PublicKey,
  toBotKey,
  type WebBotAuth,
} from '../sections/web-bot-auth.ts';

/**
 * The fetched keys of agents. A folder has one file for each directory of the settings, with the name of the directory.
 * `guard agents refresh` writes these files, so no request waits for a fetch.
 */

export const FetchedKeys = z.strictObject({
  /** When the directory last confirmed these keys. */
  fetched_at: z.iso.datetime(),
  /** The origin that published the keys. */
  directory: z.string().min(1),
  /** The ETag of the server for this version. It is used in conditional requests. */
  etag: z.string().optional(),
  last_modified: z.string().optional(),
  keys: z.array(z.strictObject(PublicKey.shape)).min(1).max(MAX_KEYS),
});
export type FetchedKeys = Readonly<z.infer<typeof FetchedKeys>>;

/** The URL at which an origin publishes its keys (draft-meunier-http-message-signatures-directory). */
export function directoryUrl({ url }: AgentDirectory): string {
  return `${url}/.well-known/http-message-signatures-directory`;
}

type PublishedKeys =
  | {
      readonly kind: 'parsed';
      readonly keys: readonly PublicKey[];
      /** The number of keys that are malformed or of another kind. */
      readonly dropped: number;
    }
  | { readonly kind: 'refused'; readonly reason: string };

const PublishedKeySet = z.looseObject({ keys: z.array(z.unknown()) });

/** Parses a directory in the form in which its origin serves it. Unusable keys are dropped (RFC 7517 section 5). */
export function parsePublishedKeys(text: string): PublishedKeys {
  const value = parseJson(text);
  if (value === undefined) return { kind: 'refused', reason: 'no JSON' };
  const keySet = PublishedKeySet.safeParse(value);
  if (!keySet.success) return { kind: 'refused', reason: 'JSON that is no set of keys' };
  const publishedKeys = keySet.data.keys;
  if (publishedKeys.length > MAX_KEYS)
    return { kind: 'refused', reason: `more than ${MAX_KEYS} keys` };
  const keys = publishedKeys.flatMap((key) => {
    const parsed = Jwk.safeParse(key);
    return parsed.success ? PublicKey.parse(parsed.data) : [];
  });
  if (keys.length === 0) return { kind: 'refused', reason: 'no usable Ed25519 key' };
  return { kind: 'parsed', keys, dropped: publishedKeys.length - keys.length };
}

/**
 * The fetched keys of a directory. Undefined when there is no file. Also undefined when the file is from another
 * origin, which had the same name in earlier settings. Throws an Error that names the file when the file has another
 * format.
 */
export function readFetchedKeys(
  folder: string,
  { name, url }: AgentDirectory,
): FetchedKeys | undefined {
  const path = join(folder, `${name}.json`);
  if (!existsSync(path)) return undefined;
  try {
    const fetchedKeys = FetchedKeys.parse(JSON.parse(readFileSync(path, 'utf8')));
    return fetchedKeys.directory === url ? fetchedKeys : undefined;
  } catch (cause) {
    throw new Error(`not a file of fetched agent keys: ${path}`, { cause });
  }
}

/** The keys of the file in the settings, and the fetched keys of the directories. */
export function botKeysOf(settings: WebBotAuth | undefined): readonly BotKey[] {
  if (settings === undefined) return [];
  const { keys, directories, fetched_keys: folder = '' } = settings;
  const fetchedKeys = directories.flatMap((directory) => {
    const { name, url, operator } = directory;
    const signer = { agent: name, operator, directory: url };
    return readFetchedKeys(folder, directory)?.keys.map((key) => toBotKey(key, signer)) ?? [];
  });
  return [...(keys?.keys ?? []), ...fetchedKeys];
}
