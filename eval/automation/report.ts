import { execFileSync } from 'node:child_process';
import { automationTable } from './automation-table.ts';
import type { Row } from './measure-all.ts';
import { versionsOf } from './versions.ts';

/** What is about to be measured: a run takes long, and the checkout may be another one at its end. */
export function commitOf(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain') === '' ? '' : ' with changes';
  return `${git('rev-parse', '--short', 'HEAD')}${dirty}`;
}

/** The file that `--record` writes. */
export function report(rows: readonly Row[], commit: string): string {
  return `# Who gets through the challenge

${automationTable(rows)}

- ${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.versions.node}
- ${versionsOf(rows.map(({ tool }) => tool)).join(', ')}
- \`node eval/run.ts automation --record\` writes this file
- ${restartsOf(rows)}

## How it is made

Guard as its users run it, before a site of its own that remembers who reached it. Each visit is made by a fresh
browser or client with an empty profile, one at a time, and ends on the site's page or on a screen that does not go on
by itself; after 20 s on the checking screen it counts as stopped. A visit whose browser never sent a request is started
again, at most twice: on a busy machine a launch can fail, and that says nothing about Guard. Whether a visit reached the site is what the site
says, and what gave it away is what Guard's events say, in SQL. A tool that broke, or that never came to Guard, is not
counted as a visit. Two sites:

- **visits, stopped, given away by, and the goal** are of a site with \`detect: true, challenge: always\`;
- **plain site** has \`detect: true\` alone: only whom the request itself makes doubtful is challenged there. A real
  browser sends real headers, however it is driven, so nothing is promised for it.

The groups:

- **A person:** a browser with a window on a virtual screen, no driver and no debugging port; keyboard and mouse events
  come from the X server. Arriving has to take one reload, not more.
- **Disguised by flags:** no automation switch, no \`AutomationControlled\` feature, the User-Agent of a Chromium with a
  window, a usual window size, and the driver's emulated viewport turned off.
- **Disguised by flags and script:** also a script at the start of every document that gives \`navigator.webdriver\`,
  \`navigator.languages\` and \`window.chrome\` the values of a person's browser.
- **A person's command line:** the browser is started with a window, an empty profile and a debugging port, and with
  none of the driver's defaults. **Attached** drivers did not start it: before the page is loaded they open it, after that
  they find it. **Asks the page at once:** the driver reads the page as soon as it says that it is loaded; all others wait
  for three seconds. **DevTools protocol, no driver** is the protocol alone, as nodriver speaks it.
- **navigator.webdriver off:** one line in Firefox's own context, which its remote protocols offer. **Its preferences
  off:** Firefox also does not set what it sets by itself for remote control (\`remote.prefs.recommended\`).
- **jsdom, happy-dom:** fetch with Chromium's headers, keep cookies, and run the challenge's script. **Boxes and readings
  corrected:** boxes are measured from the style that the library computes; the layout is computed from Guard's code; all
  else is what a browser once measured.

Rows that say MISSED are not held.
`;
}

/** Which visits had to be started again: browsers that failed to start, not people who were stopped. */
function restartsOf(rows: readonly Row[]): string {
  const restarted = rows.flatMap((row) => {
    if (row.kind === 'not run') return [];
    const times = row.strict.restarts + row.plain.restarts;
    return times === 0 ? [] : [`${row.tool.name}, ${row.tool.variant} (${times})`];
  });
  const which = restarted.length === 0 ? 'none' : restarted.join('; ');
  return `Visits started again because their browser had not sent a request: ${which}`;
}
