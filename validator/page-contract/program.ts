/** The data that a challenge page gets in HTML attributes. Each page program has its own names for these attributes. */
export const PAGE_DATA = ['sheet', 'witnesses', 'questions', 'session'] as const;
export type PageDataNames = Readonly<Record<(typeof PAGE_DATA)[number], string>>;

export interface Program {
  /** The identifier of the program, which the ticket stores. Empty for the script without a disguise. */
  readonly id: string;
  /** The text of the script in UTF-8. */
  readonly script: Uint8Array;
  readonly dataNames: PageDataNames;
}
