import type { Goal, Place, Tool, Visit } from './tool.ts';

/** How a driver of Chromium is set up for a visit. */
export interface Setup {
  readonly headless: boolean;
  /**
   * None: the tool's defaults. No emulation: without the driver's viewport, and with nothing added.
   * Flags: also other switches. Script: also what such users run at the start of every document.
   * Own switches: the command line of a person's browser, and none of the driver's defaults.
   */
  readonly disguise: 'none' | 'no emulation' | 'flags' | 'flags and script' | 'own switches';
  /** Reads the page as soon as the driver says that it is there, as scripts do. They can wait, too: then this is left out. */
  readonly asksAtOnce?: boolean;
}

/** One tool in all setups: with and without a window, as it comes and disguised. */
export function inAllSetups(
  tool: Pick<Tool, 'name' | 'needs'> & {
    /** Of the tool as it comes: a tool made to hide is a disguise by itself. */
    readonly goal: Goal;
    readonly visitWith: (setup: Setup) => Visit;
  },
): Tool[] {
  const { name, needs, goal, visitWith } = tool;
  return [true, false].flatMap((headless) =>
    (['none', 'flags', 'flags and script'] as const).map((disguise): Tool => {
      const window = headless ? 'headless' : 'headful';
      return disguise === 'none'
        ? { name, variant: window, goal, needs, visit: visitWith({ headless, disguise }) }
        : {
            name,
            variant: `${window}, disguised by ${disguise}`,
            goal: 'stopped ≥ 90 %',
            needs,
            visit: visitWith({ headless, disguise }),
          };
    }),
  );
}

/** The environment of a browser process: this one's, on the display of the run. */
export function environmentOn({ display }: Place): Record<string, string> {
  const env: Record<string, string> = { LANG: 'en_US.UTF-8', DISPLAY: display };
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'FONTCONFIG_PATH']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
