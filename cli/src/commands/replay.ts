import { inertJson } from '@guard/config/settings/problems/problems';
import { Duration } from '@guard/config/settings/values/values';
import { replayNotes } from '../replay/replay-notes.ts';
import type { Replay, ReplayPlan } from '../replay/run-replay.ts';
import { KEY_VARIABLE } from '../running-guard/query-events.ts';
import { messageOf } from '../terminal/faults.ts';
import { reportFailure, print } from '../terminal/terminal.ts';
import { createCommand } from '../command-line/command.ts';
import { readSettings, settingsFile } from '../command-line/read-settings.ts';
import {
  CONFIG_OPTION,
  switchOption,
  type Options,
  type ReadLine,
  USUAL_FILE,
  valueOption,
} from '../command-line/options.ts';

const OPTIONS = {
  config: { ...CONFIG_OPTION, help: `the settings to try; default ${USUAL_FILE} in this folder` },
  against: valueOption('FILE', 'the settings to compare with', 'file'),
  from: valueOption(
    'URL',
    'read stored events of a running Guard, over POST /query of its api service',
  ),
  key: valueOption('KEY', `an analytics key for this Guard; better in ${KEY_VARIABLE}`),
  since: {
    ...valueOption('DURATION', 'how far back stored events are read, default 24h'),
    default: '24h',
  },
  site: valueOption(
    'HOST',
    'the site of requests if the log names no host; needed with several sites',
  ),
  session: valueOption(
    'STATE',
    'verified: treat every visitor in an access log as one that passed the challenge',
    ['verified'],
  ),
  json: switchOption('one JSON object, with every group'),
} as const satisfies Options;
type Values = ReadLine<typeof OPTIONS>['values'];

export const replay = createCommand({
  name: 'replay',
  summary: 'Judge the requests of a log with other settings, and show what would change.',
  usage: [
    'guard replay [--config FILE] [--against FILE] LOG …',
    'guard replay [--config FILE] [--against FILE] -          (a log on standard input)',
    'guard replay [--config FILE] [--against FILE] --from URL [--since 24h]',
  ],
  about: `Judges every request of a log with the settings of --config, and prints what would change:
before and after, by rule and reason, with examples. "Before" is the result in the log, or
with --against the result of those settings. Nothing is sent, stored or recorded.

A LOG is an access log of nginx or Apache (combined, vhost_combined), one of JSON lines (Caddy,
or nginx's variables by their names), or events as JSONEachRow; also gzipped (.gz).`,
  options: OPTIONS,
  operand: 'file',
  notes: `An access log does not say everything. What the log lacks is unknown, and proves nothing;
the last lines of the output say what could not be judged. Stored events carry their headers
for 14 days, and sessions.`,
  exits: '0 replayed, 1 the settings, the log or the server are refused, 2 called wrongly.',
  async run({ values, positionals }) {
    const candidate = settingsFile(values.config);
    if (typeof candidate !== 'string') return candidate.why;
    if (values.session !== undefined && values.session !== 'verified') {
      return '--session is verified';
    }
    const source = chooseSource(positionals, values, Date.now());
    return typeof source === 'string' ? source : replayFrom(source, candidate, values);
  },
});

async function replayFrom(
  source: ReplayPlan['from'],
  config: string,
  { against, site, session, json }: Values,
): Promise<number> {
  const candidate = readSettings(config)?.settings;
  const current = against === undefined ? undefined : readSettings(against)?.settings;
  if (!candidate || (against !== undefined && !current)) return 1;
  // The module is loaded on demand, for the same reason as in explain.ts.
  const { siteFault } = await import('@guard/replay');
  const fault = siteFault(candidate, site) ?? (current && siteFault(current, site));
  if (fault !== undefined) return reportFailure('replay', fault);
  const assumeVerified = session !== undefined;
  const judged = { candidate, against: current, site, assumeVerified };
  const plan = { ...judged, from: source, showProgress: !json };
  try {
    const { describeReplay } = await import('../replay/describe-replay.ts');
    const { runReplay } = await import('../replay/run-replay.ts');
    const result = await runReplay(plan);
    if (result.judged === 0 && result.unreadable > 0)
      return reportFailure('replay', describeUnreadable(result));
    const settings = current ? [candidate, current] : [candidate];
    const isStored = source.kind === 'events';
    const notes = replayNotes(result, settings, { assumeVerified, isStored });
    print(json ? inertJson({ ...result, notes }) : describeReplay(result, notes));
    return 0;
  } catch (error) {
    return reportFailure('replay', messageOf(error));
  }
}

/** For a log without any readable line, the result "Nothing would change" would be wrong. */
function describeUnreadable({ faults, unreadable }: Replay): string {
  const lines = faults.map(({ file, line, reason }) => `\n  ${file}:${line}: ${reason}`);
  return `none of ${unreadable} lines is a request; --help says which logs can be read${lines.join('')}`;
}

/** Chooses the source of the requests. When the source is unclear, the result is a sentence for the user. */
function chooseSource(
  files: readonly string[],
  { from: url, key = process.env[KEY_VARIABLE], since }: Values,
  nowMs: number,
): ReplayPlan['from'] | string {
  if (url === undefined) {
    return files.length === 0
      ? 'name a log, - for standard input, or --from URL'
      : { kind: 'files', files };
  }
  if (files.length > 0) return 'give either logs or --from';
  if (!URL.canParse(url)) return '--from takes a URL, such as http://127.0.0.1:8082';
  if (key === undefined || key === '') return `give an analytics key in ${KEY_VARIABLE}, or --key`;
  const duration = Duration.safeParse(since);
  if (!duration.success) return '--since takes a duration such as 30m, 24h or 7d';
  return { kind: 'events', source: { url, key, sinceMs: nowMs - duration.data, untilMs: nowMs } };
}
