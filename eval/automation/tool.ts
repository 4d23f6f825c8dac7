/** Where a visit ended: on the origin's page, or on a page of Guard that does not continue. */
export type Ending = 'origin' | 'screen';

/** The resources of one visit. They are created for the visit and removed after it. */
export interface BrowserResources {
  /** An empty folder for the browser's profile. */
  readonly profile: string;
  /** X display with a 1920x1080 screen, such as `:99`. */
  readonly display: string;
}

/**
 * One visit by a new browser or client, which it closes. Rejects when the tool itself fails, which does not count as
 * stopped.
 */
export type Visit = (url: string, resources: BrowserResources) => Promise<Ending>;

/**
 * The promise for a tool. With its defaults every visit is stopped, and disguised nine of ten. A person's browser
 * always arrives.
 */
export type Goal = 'stopped 100 %' | 'stopped ≥ 90 %' | 'allowed 100 %';

export interface Tool {
  /** The package or program that controls the browser. */
  readonly name: string;
  /** How it is set up here. */
  readonly variant: string;
  readonly goal: Goal;
  /** The npm packages and the programs on the PATH that the tool needs. The report has their versions. */
  readonly needs: { readonly packages: readonly string[]; readonly programs: readonly string[] };
  readonly visit: Visit;
}

/** One word for a tool and its variant, for paths and URLs. */
export function fileNameOf({ name, variant }: Pick<Tool, 'name' | 'variant'>): string {
  return `${name} ${variant}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
