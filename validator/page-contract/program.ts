/** The data that a challenge page gets in attributes. Each program has other names for these attributes. */
export const PAGE_DATA = ['sheet', 'witnesses', 'questions', 'session'] as const;
export type PageDataNames = Readonly<Record<(typeof PAGE_DATA)[number], string>>;

export interface Program {
  /** Stored in the ticket. Empty for the script without a disguise. */
  readonly id: string;
  /** In UTF-8. */
  readonly script: Uint8Array;
  readonly dataNames: PageDataNames;
}
