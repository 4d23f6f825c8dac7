import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whom a file belongs to. A command trusts the files of its own user and of root. Root that came by sudo also trusts
 * the user who called sudo. The files of any other user could make a command do what that user may not do.
 */

/** The user of another's file or link at `path`. Undefined when the file is trusted, or when there is none. */
export function strangerOf(path: string): number | undefined {
  const trustedIds = trustedUsers();
  if (trustedIds === undefined) return undefined;
  const uids = [ownerOf(path, lstatSync), ownerOf(path, statSync)];
  return uids.find((uid) => uid !== undefined && !trustedIds.has(uid));
}

/** The first path of another user: the folder itself, or one of its direct entries. */
export function strangersPathIn(
  folder: string,
): { readonly path: string; readonly uid: number } | undefined {
  for (const path of [folder, ...entriesOf(folder)]) {
    const uid = strangerOf(path);
    if (uid !== undefined) return { path, uid };
  }
  return undefined;
}

/** Undefined on systems without user ids. */
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
    // A folder on the way cannot be entered. The command reports that when it opens the file.
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
