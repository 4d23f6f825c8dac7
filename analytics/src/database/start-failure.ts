/** What stands in the reason of a start that failed, and what that means. The first that fits counts. */
const CAUSES: readonly (readonly [sign: RegExp, meaning: string])[] = [
  [/ENOSPC|No space left on device|NOT_ENOUGH_SPACE/, 'there is no free space on its disk'],
  [/EROFS|Read-only file system/, 'its folder is on a disk that is read-only'],
  [/EACCES|EPERM|Permission denied/, 'Guard may not write into its folder'],
  [/Another server instance/, 'another Guard uses its folder'],
  [
    /Cannot parse definition from metadata file/,
    'the definition of a table is damaged, and there is no copy of it',
  ],
];

/** Why the database cannot start, for those who ask it: without paths, which are in the log. */
export interface StartFailure {
  readonly message: string;
  /** The next attempt ends the same way. An unknown cause can be over by then, such as a port that was taken. */
  readonly isKnown: boolean;
}

export function describeStartFailure(reason: string): StartFailure {
  const meaning = CAUSES.find(([sign]) => sign.test(reason))?.[1];
  return {
    message: `The analytics database cannot start: ${meaning ?? 'the log of Guard says why'}.`,
    isKnown: meaning !== undefined,
  };
}
