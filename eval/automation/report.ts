import { execFileSync } from 'node:child_process';
import { markdown } from '../tables.ts';
import type { Row } from './measure-all.ts';
import type { Visits } from './measure.ts';
import { isMet } from './verdict.ts';
import { versionsOf } from './versions.ts';

/** The commit of the checkout. Call this function before a run, because the checkout can change during the run. */
export function commitOf(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain') === '' ? '' : ' with changes';
  return `${git('rev-parse', '--short', 'HEAD')}${dirty}`;
}

/** Returns the text of the file that `--record` writes. */
export function report(rows: readonly Row[], commit: string): string {
  return `# Who gets through the challenge

${automationTable(rows)}

- ${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.versions.node}
- ${versionsOf(rows.map(({ tool }) => tool)).join(', ')}
- \`node eval/run.ts automation --record\` writes this file
- ${restartNote(rows)}

## How it is made

Guard as users run it, in front of a site that records its visitors. A new browser or client with an empty profile
makes each visit, one at a time. The visit ends on the site's page, or on a page of Guard that does not continue.
After 20 s on the checking page it counts as stopped. A visit whose browser never sent a request is started again, at
most twice: on a busy machine a launch can fail, which is no fault of Guard. The site says whether a visit reached it.
The reasons ("given away by") come from Guard's events, by SQL. A visit does not count when the tool failed or sent no
request. Two sites:

- **visits, stopped, given away by and goal** are for a site with \`detect: true, challenge: always\`;
- **plain site** has \`detect: true\` alone: it challenges only visitors whose request is doubtful. A real browser
  sends real header fields also under the control of a driver, so there is no goal for this site.

The groups:

- **A person:** a browser with a window on a virtual screen, no driver and no debugging port; keyboard and mouse
  events come from the X server. The visit may need one reload and no more.
- **Disguised by flags:** no automation switch, no \`AutomationControlled\` feature, the User-Agent of a Chromium with a
  window, a usual window size, and the driver's emulated viewport turned off.
- **Disguised by flags and script:** also a script at the start of every document that gives \`navigator.webdriver\`,
  \`navigator.languages\` and \`window.chrome\` the values of a person's browser.
- **A person's command line:** the browser is started with a window, an empty profile and a debugging port, and with
  none of the driver's defaults. **Attached** drivers did not start it: they open the page themselves (before), or
  find it loaded (after). **Asks the page at once:** the driver reads the page as soon as it is loaded. All other
  drivers wait for three seconds. **DevTools protocol, no driver** uses only the protocol, as nodriver does.
- **navigator.webdriver off:** one line of script in Firefox's own context, which the remote protocols can reach.
  **Without preferences for remote control:** Firefox also does not set these preferences
  (\`remote.prefs.recommended\`).
- **jsdom, happy-dom:** fetch with Chromium's headers, keep cookies, and run the challenge's script. **Boxes and
  readings corrected:** boxes get their sizes from the style that the library computes, the layout comes from Guard's
  code, and all other readings are those of a recorded browser.

A row with MISSED does not meet its goal.
`;
}

/** Returns the note about visits that were started again because their browser failed to start. */
function restartNote(rows: readonly Row[]): string {
  const restarted = rows.flatMap((row) => {
    if (row.kind === 'not run') return [];
    const times = row.strict.restarts + row.plain.restarts;
    return times === 0 ? [] : [`${row.tool.name}, ${row.tool.variant} (${times})`];
  });
  const which = restarted.length === 0 ? 'none' : restarted.join('; ');
  return `Visits started again because their browser had not sent a request: ${which}`;
}

/** Returns the result as a Markdown table. */
export function automationTable(rows: readonly Row[]): string {
  return markdown(
    ['who', 'how', 'visits', 'stopped', 'given away by', 'plain site', 'goal', ''],
    rows.map((row) => {
      const { tool } = row;
      const met = isMet(row);
      const cells =
        row.kind === 'not run'
          ? ['–', '–', `not run: ${row.why}`, '–']
          : [String(row.strict.made), stopped(row.strict), whatFor(row.strict), stopped(row.plain)];
      const mark = met === undefined ? '–' : met ? 'met' : 'MISSED';
      return [tool.name, tool.variant, ...cells, tool.goal, mark];
    }),
  );
}

function stopped({ made, reached }: Visits): string {
  return made === 0 ? '–' : `${made - reached} of ${made}`;
}

function whatFor({ made, reasons, broke }: Visits): string {
  const reasonTexts = [...reasons].map(([reason, visits]) =>
    visits === made ? reason : `${reason} (${visits})`,
  );
  const failures = broke.map((why) => `broke: ${why.replaceAll('|', '/')}`);
  return [...reasonTexts, ...failures].join(', ') || 'nothing';
}
