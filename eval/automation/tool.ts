/** Where a visit ended: on the origin's page, or on a page of Guard that does not continue. */
export type Ending = 'origin' | 'screen';

/** The resources of one visit. They are created for the visit and removed after it. */
export interface BrowserResources {
  /** An empty folder for the browser's profile. */
  readonly profile: string;
  /** The X display with a 1920x1080 screen, such as `:99`. */
  readonly display: string;
}

/**
 * Makes one visit with a new browser or client, and closes it. Rejects when the tool itself fails. Such a visit is not
 * counted as stopped.
 */
export type Visit = (url: string, resources: BrowserResources) => Promise<Ending>;

/**
 * The promise for a tool. A tool with its defaults is stopped in every visit. A disguised tool is stopped in nine of
 * ten visits. A person's browser always arrives.
 */
export type Goal = 'stopped 100 %' | 'stopped ≥ 90 %' | 'allowed 100 %';

export interface Tool {
  /** The package or program that controls the browser. */
  readonly name: string;
  /** The setup of the tool in this eval. */
  readonly variant: string;
  readonly goal: Goal;
  /** The npm packages and the programs on the PATH that the tool needs. The report has their versions. */
  readonly needs: { readonly packages: readonly string[]; readonly programs: readonly string[] };
  readonly visit: Visit;
}

/** Returns one word for a tool and its variant, for paths and URLs. */
export function fileNameOf({ name, variant }: Pick<Tool, 'name' | 'variant'>): string {
  return `${name} ${variant}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
