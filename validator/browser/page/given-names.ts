/** What a challenge page is given in attributes of its own; each program has other names for them. */
export const GIVEN = ['sheet', 'witnesses', 'questions', 'session'] as const;
export type GivenNames = Readonly<Record<(typeof GIVEN)[number], string>>;
