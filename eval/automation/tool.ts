/** Where a visit ended: on the origin's page, or on a screen of Guard's that does not go on by itself. */
export type Ending = 'origin' | 'screen';

/** What one visit may use; made for it alone, and removed behind it. */
export interface Place {
  /** An empty folder for the browser's profile. */
  readonly profile: string;
  /** X display with a 1920x1080 screen, such as `:99`. */
  readonly display: string;
}

/**
 * One visit by a fresh browser or client, which is closed again. Rejects when the tool itself broke;
 * that is not counted as stopped.
 */
export type Visit = (url: string, place: Place) => Promise<Ending>;

/**
 * What is promised of a tool: as it comes, every visit is stopped; disguised, nine of ten; a
 * person's browser always arrives.
 */
export type Goal = 'stopped 100 %' | 'stopped ≥ 90 %' | 'allowed 100 %';

export interface Tool {
  /** The package or program that does the driving. */
  readonly name: string;
  /** How it is set up here. */
  readonly variant: string;
  readonly goal: Goal;
  /** npm packages and programs on the PATH whose versions belong into the record. */
  readonly needs: { readonly packages: readonly string[]; readonly programs: readonly string[] };
  readonly visit: Visit;
}
