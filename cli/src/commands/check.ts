import { type LoadedSettings, loadSettings } from '@guard/config/settings/load';
import { presetRules } from '@guard/config/settings/presets/preset-rules';
import {
  formatPath,
  formatProblem,
  type Problem,
  inertJson,
} from '@guard/config/settings/problems/problems';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import { applicationRemarks } from '../check/application-remarks.ts';
import { probeOrigins } from '../check/probe-origins.ts';
import { probeStore } from '../check/probe-store.ts';
import type { Remark } from '../check/remark.ts';
import { remarksOn } from '../check/remarks.ts';
import { countText } from '../terminal/layout.ts';
import { print } from '../terminal/terminal.ts';
import { createCommand } from '../command-line/command.ts';
import { CONFIG_OPTION, switchOption, USUAL_FILE } from '../command-line/options.ts';
import { settingsFile } from '../command-line/read-settings.ts';

export const check = createCommand({
  name: 'check',
  summary: 'Check a settings file and report all mistakes in it.',
  usage: ['guard check [FILE] [--probe] [--strict] [--json]'],
  about: `Reads FILE as \`guard start\` would, starts nothing, and lists every problem with its
file, line and column, what was found and what is allowed. For a good file it lists the
presets that are on, and settings that are often a mistake:

  warning  a rule that never counts, because one further up sets the same for every
           request, or that never matches, because no site has its host; monitor on for
           an organisation; observe on; an origin that cannot be reached; a directory of signed
           agents without keys, or a rule with an agent that no directory has; a host
           that gets no certificate by tls.acme; an application behind the site that
           needs a preset (with --probe)
  hint     a site that protects the paths of certificates (ACME) or health checks;
           monitor on for a rule; a port where the authority of tls.acme does not connect; an
           application that may need a rule (with --probe)`,
  options: {
    config: { ...CONFIG_OPTION, help: `the same as FILE; default ${USUAL_FILE} in this folder` },
    probe: switchOption(
      'connect to every origin and to the Redis of `store`, and ask the first origin of\neach site which application it is',
    ),
    strict: switchOption('treat warnings, but not hints, like problems'),
    json: switchOption(`one JSON object: \`{ "valid": …, "problems": [ … ], "revision": …, "presets": { … },
"warnings": [ … ], "hints": [ … ] }\``),
  },
  operand: 'file',
  exits: `0 when the file is good, 1 when it has problems, or with --strict warnings,
2 when called wrongly.`,
  async run({ values, positionals }) {
    const { config, json, probe, strict } = values;
    const [givenFile, more] = [...positionals, ...(config === undefined ? [] : [config])];
    if (more !== undefined) return 'name one settings file, not two';
    const file = settingsFile(givenFile);
    if (typeof file !== 'string') return file.why;
    const result = loadSettings(file, process.env);
    if (result.kind === 'invalid') {
      const { problems } = result;
      if (json) print(inertJson({ valid: false, problems }));
      else print(problems.map(formatProblem).join('\n'), 'error');
      return 1;
    }
    const { settings } = result;
    const probeRemarks = probe
      ? [
          ...(await probeOrigins(settings.sites)),
          ...(await probeStore(settings.store)),
          ...(await applicationRemarks(settings)),
        ]
      : [];
    const remarks = [...remarksOn(settings), ...probeRemarks];
    const placedRemarks = remarks
      .map(({ level, path, message }): PlacedRemark => ({
        ...{ level, file, ...result.positionOf(path), path: formatPath(path), message },
      }))
      .toSorted((a, b) => a.line - b.line || a.column - b.column);
    const warnings = placedRemarks.filter(({ level }) => level === 'warning');
    const hints = placedRemarks.filter(({ level }) => level === 'hint');
    const presets = presetsOf(result);
    if (json) {
      const report = {
        revision: settingsRevision(settings),
        presets: Object.fromEntries(presets),
        warnings,
        hints,
      };
      print(inertJson({ valid: true, problems: [], ...report }));
    } else {
      print(
        [summaryOf(file, result), ...presetLines(presets), ...placedRemarks.map(lineOf)].join('\n'),
      );
    }
    return strict && warnings.length > 0 ? 1 : 0;
  },
});

type PlacedRemark = Pick<Remark, 'level'> & Omit<Problem, 'found'>;

function lineOf({ level, file, line, column, path, message }: PlacedRemark): string {
  return `${file}:${line}:${column}: ${level}: ${path}: ${message}`;
}

function summaryOf(file: string, { settings }: LoadedSettings): string {
  const { sites, organisations } = settings;
  const contents = `${countText(organisations.length, 'organisation')}, ${countText(sites.length, 'site')}`;
  return `${file} is good: ${contents}, revision ${settingsRevision(settings)}.`;
}

function presetsOf({
  settings,
}: LoadedSettings): (readonly [organisation: string, readonly string[]])[] {
  return settings.organisations.map((organisation) => [
    organisation.id,
    presetRules(organisation).map(({ name }) => name),
  ]);
}

function presetLines(presets: ReturnType<typeof presetsOf>): string[] {
  return presets
    .filter(([, names]) => names.length > 0)
    .map(([organisation, names]) => `Presets of ${organisation}: ${names.join(', ')}.`);
}
