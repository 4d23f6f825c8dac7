import { inertJson } from '@guard/config/settings/problems/problems';
import { readFetchedKeys } from '@guard/config/settings/keys/agent-keys';
import { type DirectoryReport, type FetchTerms, refreshDirectory } from '@guard/server';
import { createCommand } from '../command-line/command.ts';
import { CONFIG_OPTION, switchOption } from '../command-line/options.ts';
import { readSettings, settingsFile } from '../command-line/read-settings.ts';
import {
  describeReports,
  readFetchTerms,
  SOURCE_BASE_OPTION,
  timeoutOption,
} from '../crawlers/fetch-options.ts';
import { messageOf } from '../terminal/faults.ts';
import { alignColumns } from '../terminal/layout.ts';
import { reportFailure, print } from '../terminal/terminal.ts';

export const agents = createCommand({
  name: 'agents',
  summary: 'List the agents whose signed requests Guard accepts, or fetch their current keys.',
  usage: [
    'guard agents list [--config FILE] [--json]',
    'guard agents refresh [NAME …] [--config FILE] [--json]',
  ],
  about: `list     lists the directories of web_bot_auth in the settings, and the keys fetched from each
refresh  fetches the published keys of all directories, or of those with these names, into
         web_bot_auth.fetched_keys`,
  options: {
    config: CONFIG_OPTION,
    timeout: timeoutOption('directory'),
    'source-base': SOURCE_BASE_OPTION,
    json: switchOption('one JSON value, nothing else'),
  },
  operand: ['list', 'refresh'],
  notes: `Guard fetches over https only, follows no redirect, and connects to no address of a private
network. When a directory cannot be fetched, or one of its keys is wrong, its earlier keys stay.
A running Guard reads the new keys by itself.`,
  exits:
    '0 done, 1 the settings are refused or a directory could not be refreshed, 2 called wrongly.',
  async run({ values, positionals }) {
    const [action, ...names] = positionals;
    const { json } = values;
    const config = settingsFile(values.config);
    if (typeof config !== 'string') return config.why;
    switch (action) {
      case 'list':
        return names.length > 0 ? 'list takes no name' : list(config, json);
      case 'refresh':
        return refresh(config, names, json, readFetchTerms(values));
      case undefined:
      default:
        return 'name an action: list or refresh';
    }
  },
});

function readAgents(config: string) {
  const result = readSettings(config);
  if (!result) return undefined;
  const { directories = [], fetched_keys: folder = '' } = result.settings.web_bot_auth ?? {};
  return { directories, folder };
}

async function refresh(
  config: string,
  names: readonly string[],
  json: boolean,
  terms: FetchTerms | string,
): Promise<number | string> {
  if (typeof terms === 'string') return terms;
  const settings = readAgents(config);
  if (!settings) return 1;
  const { directories, folder } = settings;
  const unknownName = names.find((name) =>
    directories.every((directory) => directory.name !== name),
  );
  if (unknownName !== undefined) {
    return `${config} has no directory called ${inertJson(unknownName)}`;
  }
  const chosenDirectories = directories.filter(
    ({ name }) => names.length === 0 || names.includes(name),
  );
  const options = { ...terms, folder, clock: Date.now };
  // All directories are fetched at the same time, because there are only few. A failure of one does not affect the
  // others.
  const reports = await Promise.all(
    chosenDirectories.map((directory) => refreshDirectory(directory, options)),
  );
  print(json ? inertJson({ into: folder, directories: reports }) : describe(reports, folder));
  return reports.every(({ reason }) => reason === '') ? 0 : 1;
}

function list(config: string, json: boolean): number {
  const settings = readAgents(config);
  if (!settings) return 1;
  const { directories, folder } = settings;
  try {
    const views = directories.map((directory) => {
      const { name, url, operator } = directory;
      const fetchedKeys = readFetchedKeys(folder, directory);
      return {
        name,
        directory: url,
        operator: operator ?? null,
        keys: fetchedKeys?.keys.length ?? 0,
        fetched_at: fetchedKeys?.fetched_at ?? null,
      };
    });
    const rows = views.map(({ name, directory, keys, fetched_at: fetchedAt }) => [
      name,
      directory,
      String(keys),
      fetchedAt ?? 'never: guard agents refresh',
    ]);
    const table = alignColumns([['NAME', 'DIRECTORY', 'KEYS', 'FETCHED'], ...rows]).join('\n');
    print(json ? inertJson(views) : table);
    return 0;
  } catch (error) {
    return reportFailure('agents', messageOf(error));
  }
}

function describe(reports: readonly DirectoryReport[], folder: string): string {
  if (reports.length === 0) {
    return 'The settings name no directories: web_bot_auth.directories lists them.';
  }
  return describeReports(
    reports,
    ({ name, keys }) => [name, `${keys} keys`],
    `directories are current in ${folder}`,
  );
}
