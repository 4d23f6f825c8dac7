import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Finds files that belong to a user whom a command must not trust. A command trusts the files of its own user and of
 * root. When root runs the command with sudo, it also trusts the user who called sudo. With its files, any other user
 * could make the command do things that this user is not allowed to do.
 */

/**
 * The user id of the owner of a file or link that is not trusted. Undefined when the file is trusted, or when there is
 * no file.
 */
export function strangerOf(path: string): number | undefined {
  const trustedIds = trustedUsers();
  if (trustedIds === undefined) return undefined;
  const uids = [ownerOf(path, lstatSync), ownerOf(path, statSync)];
  return uids.find((uid) => uid !== undefined && !trustedIds.has(uid));
}

/** The first path that belongs to a user who is not trusted: the folder itself, or one of its direct entries. */
export function strangersPathIn(
  folder: string,
): { readonly path: string; readonly uid: number } | undefined {
  for (const path of [folder, ...entriesOf(folder)]) {
    const uid = strangerOf(path);
    if (uid !== undefined) return { path, uid };
  }
  return undefined;
}

/** The user ids that are trusted. Undefined on systems without user ids. */
function trustedUsers(): ReadonlySet<number> | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  const { SUDO_UID = '' } = process.env;
  const isBySudo = uid === 0 && /^\d{1,10}$/.test(SUDO_UID);
  return new Set([uid, 0, ...(isBySudo ? [Number(SUDO_UID)] : [])]);
}

type ReadStat = (path: string, options: { readonly throwIfNoEntry: false }) => Stats | undefined;

function ownerOf(path: string, readStat: ReadStat): number | undefined {
  try {
    return readStat(path, { throwIfNoEntry: false })?.uid;
  } catch {
    // A folder of the path cannot be entered. The command reports this when it opens the file.
    return undefined;
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
