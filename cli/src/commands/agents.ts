import { readFetchedKeys } from '@guard/config/catalogue/agent-keys';
import { formatProblem, loadSettings } from '@guard/config/settings/load';
import type { AgentDirectory, WebBotAuth } from '@guard/config/settings/web-bot-auth';
import { type DirectoryReport, refreshDirectory } from '../agents/refresh-directory.ts';
import { alignColumns } from '../crawlers/describe-crawler.ts';
import { mirrored } from '../crawlers/mirrored.ts';
import { calledWrongly, print } from '../terminal/terminal.ts';
import type { Command } from '../command-line/command.ts';
import { CONFIG_OPTION, type Options, readCommandLine } from '../command-line/options.ts';

const DEFAULT_TIMEOUT_S = 15;

const OPTIONS = {
  config: CONFIG_OPTION,
  timeout: {
    type: 'string',
    value: 'SECONDS',
    help: `how long one directory may take (default ${DEFAULT_TIMEOUT_S})`,
  },
  'source-base': {
    type: 'string',
    value: 'URL',
    help: 'ask a mirror: `URL/<host>/<path>` instead of `https://<host>/<path>`',
  },
  json: { type: 'boolean', help: 'one JSON value, nothing else' },
} as const satisfies Options;

export const agents: Command = {
  name: 'agents',
  summary: 'List the agents that may sign their requests, or fetch their current keys.',
  usage: [
    'guard agents list --config FILE [--json]',
    'guard agents refresh --config FILE [NAME …] [--json]',
  ],
  about: `list     the directories of web_bot_auth in the settings, and what was fetched of each
refresh  fetch the keys that they publish, of all or of those named, into
         web_bot_auth.fetched_keys`,
  options: OPTIONS,
  operand: ['list', 'refresh'],
  notes: `Only https, no redirect and no address inside of a network is followed. The keys of a directory
are taken whole or not at all, and one that fails or is empty stays as it was. A Guard that
runs takes the new keys up by itself.`,
  exits:
    '0 done, 1 the settings are refused or a directory could not be refreshed, 2 called wrongly.',
  async run(args) {
    const line = readCommandLine(args, OPTIONS);
    if (line.kind === 'wrong') return wrong(line.message);
    const { values, positionals } = line;
    const [action, ...names] = positionals;
    const { config, json = false } = values;
    if (config === undefined) return wrong('say which settings: --config guard.yaml');
    switch (action) {
      case 'list':
        return names.length > 0 ? wrong('list takes no name') : withSettings(config, list, json);
      case 'refresh':
        return refresh(config, names, json, values);
      case undefined:
      default:
        return wrong('say list or refresh');
    }
  },
};

interface Agents {
  readonly directories: readonly AgentDirectory[];
  readonly folder: string;
}

/** Does something with what the settings say of agents. A bad file is told, and is exit code 1. */
function withSettings(
  config: string,
  act: (agents: Agents, json: boolean) => number | Promise<number>,
  json: boolean,
): number | Promise<number> {
  const loaded = loadSettings(config, process.env);
  if (loaded.kind === 'invalid') {
    print(loaded.problems.map(formatProblem).join('\n'), 'error');
    return 1;
  }
  const settings: Partial<WebBotAuth> = loaded.settings.web_bot_auth ?? {};
  const { directories = [], fetched_keys: folder = '' } = settings;
  return act({ directories, folder }, json);
}

interface RefreshValues {
  readonly timeout?: string | undefined;
  readonly 'source-base'?: string | undefined;
}

function refresh(
  config: string,
  names: readonly string[],
  isJson: boolean,
  { timeout, 'source-base': base }: RefreshValues,
): number | Promise<number> {
  const timeoutS = Number(timeout ?? DEFAULT_TIMEOUT_S);
  if (base !== undefined && !URL.canParse(base)) return wrong('--source-base takes a URL');
  if (!(timeoutS > 0 && timeoutS <= 600)) return wrong('--timeout takes 1 to 600 seconds');
  const mirrorOf = base === undefined ? undefined : (url: string) => mirrored(url, base);
  const refreshNamed = async ({ directories, folder }: Agents, json: boolean) => {
    const stranger = names.find((name) => directories.every((one) => one.name !== name));
    if (stranger !== undefined) {
      return wrong(`${config} has no directory called ${JSON.stringify(stranger)}`);
    }
    const chosen = directories.filter(({ name }) => names.length === 0 || names.includes(name));
    const options = { folder, mirrorOf, timeoutMs: timeoutS * 1000, clock: Date.now };
    // They are few, and each stands for itself.
    const reports = await Promise.all(chosen.map((one) => refreshDirectory(one, options)));
    const text = json ? JSON.stringify({ into: folder, directories: reports }) : undefined;
    print(text ?? describe(reports, folder));
    return reports.every(({ reason }) => reason === '') ? 0 : 1;
  };
  return withSettings(config, refreshNamed, isJson);
}

function wrong(message: string): number {
  return calledWrongly('agents', message);
}

function list({ directories, folder }: Agents, json: boolean): number {
  try {
    const views = directories.map((directory) => {
      const { name, url, operator } = directory;
      const fetched = readFetchedKeys(folder, directory);
      return {
        name,
        directory: url,
        operator: operator ?? null,
        keys: fetched?.keys.length ?? 0,
        fetched_at: fetched?.fetched_at ?? null,
      };
    });
    const rows = views.map(({ name, directory, keys, fetched_at: at }) => [
      name,
      directory,
      String(keys),
      at ?? 'never: guard agents refresh',
    ]);
    const table = alignColumns([['NAME', 'DIRECTORY', 'KEYS', 'FETCHED'], ...rows]);
    print(json ? JSON.stringify(views) : table);
    return 0;
  } catch (error) {
    print(`guard agents: ${error instanceof Error ? error.message : String(error)}`, 'error');
    return 1;
  }
}

function describe(reports: readonly DirectoryReport[], folder: string): string {
  if (reports.length === 0) return NO_DIRECTORIES;
  const rows = reports.map(({ name, result, keys, dropped, reason }) => [
    name,
    result,
    `${keys} keys${dropped === 0 ? '' : `, ${dropped} dropped`}`,
    reason,
  ]);
  const done = reports.filter(({ reason }) => reason === '').length;
  return `${alignColumns(rows)}\n\n${done} of ${reports.length} directories are current in ${folder}.`;
}

const NO_DIRECTORIES = 'The settings name no directories: web_bot_auth.directories lists them.';
