import type { Goal, BrowserResources, Tool, Visit } from './tool.ts';

/** The setup of a driver of Chromium for a visit. */
export interface Setup {
  readonly headless: boolean;
  /**
   * `none`: the tool's defaults. `no emulation`: without the driver's viewport. `flags`: also with the switches of
   * disguiseFlags. `script`: also with DISGUISE_SCRIPT. `own switches`: the command line of a person's browser instead
   * of the driver's defaults.
   */
  readonly disguise: 'none' | 'no emulation' | 'flags' | 'flags and script' | 'own switches';
  /** True if the driver reads the page as soon as the page is loaded. False if the driver waits before it reads. */
  readonly readsAtOnce?: boolean;
}

/** Returns one tool in all setups: with and without a window, with its defaults and disguised. */
export function inAllSetups(
  tool: Pick<Tool, 'name' | 'needs'> & {
    /** The goal for the tool with its defaults. A tool that hides is disguised even with its defaults. */
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

/** Returns the environment of a browser process: the environment of this process, with the display of the run. */
export function environmentOn({ display }: BrowserResources): Record<string, string> {
  const env: Record<string, string> = { LANG: 'en_US.UTF-8', DISPLAY: display };
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'FONTCONFIG_PATH']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
