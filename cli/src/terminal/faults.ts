export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error of Node about a file or folder, as a readable phrase. */
export function fileFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'EISDIR':
      return 'a folder, not a file';
    case 'EACCES':
    case 'EPERM':
      return 'this user has no permission for it';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    default:
      return messageOf(error);
  }
}
