import { inertJson } from '@guard/config/settings/problems/problems';
import { CONFIG_OPTION, valueOption, switchOption } from '../command-line/options.ts';
import { readSettings, settingsFile } from '../command-line/read-settings.ts';
import { crawlerRangesFolder } from '@guard/config/settings/derived/data-places';
import { existsSync } from 'node:fs';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { CrawlerList } from '@guard/config/catalogue/crawler-list';
import { type FetchTerms, refreshCrawlers } from '@guard/server';
import { fullText, tableOf, viewOf } from '../crawlers/describe-crawler.ts';
import {
  describeReports,
  readFetchTerms,
  SOURCE_BASE_OPTION,
  timeoutOption,
} from '../crawlers/fetch-options.ts';
import { createProgressBar } from '../terminal/progress-bar.ts';
import { messageOf } from '../terminal/faults.ts';
import { reportFailure, print } from '../terminal/terminal.ts';
import { createCommand } from '../command-line/command.ts';

/** The folder when there is no settings file. */
const DEFAULT_FOLDER = './data/crawlers';
const USUAL_FOLDER = `default: the folder that \`guard start\` reads`;

export const crawlers = createCommand({
  name: 'crawlers',
  summary: 'List the known crawlers, show one, or fetch their current addresses.',
  usage: [
    'guard crawlers list [TEXT] [--config FILE] [--json]',
    'guard crawlers show NAME [--config FILE] [--json]',
    'guard crawlers refresh [NAME …] [--config FILE] [--json]',
  ],
  about: `list     name, operator, category, ranges and their age, and what can prove a claim;
         with TEXT, only the lines that contain it
show     one crawler in full
refresh  fetch the lists that operators publish, all or those of the crawlers,
         operators or lists named`,
  options: {
    config: CONFIG_OPTION,
    ranges: valueOption('DIR', `read refreshed lists from here; ${USUAL_FOLDER}`, 'folder'),
    into: valueOption('DIR', `write refreshed lists here; ${USUAL_FOLDER}`, 'folder'),
    timeout: timeoutOption('list'),
    'source-base': SOURCE_BASE_OPTION,
    'accept-drop': switchOption('accept a list that lost more than half of its addresses'),
    json: switchOption('one JSON value, nothing else'),
  },
  operand: ['list', 'show', 'refresh'],
  notes: `When a list cannot be fetched, or its content is not plausible, the earlier list stays.
A running Guard reads the new lists by itself. Without a settings file the folder is ${DEFAULT_FOLDER}.`,
  exits: '0 done; 1 no such crawler, or a list could not be refreshed; 2 called wrongly.',
  async run({ values, positionals }) {
    const [action, ...names] = positionals;
    const { json } = values;
    if (values.ranges !== undefined && !existsSync(values.ranges)) {
      return reportFailure('crawlers', `--ranges ${values.ranges}: there is no such folder`);
    }
    return attempt(() => {
      const folder = values.ranges ?? values.into ?? usualFolder(values.config);
      if (folder === undefined) return 1;
      switch (action) {
        case 'list':
          return names.length > 1 ? 'list takes one text' : list(names[0], folder, json);
        case 'show':
          return names.length === 1 ? show(names[0] ?? '', folder, json) : 'show takes one name';
        case 'refresh':
          return refresh(names, folder, json, readFetchTerms(values), values['accept-drop']);
        case undefined:
        default:
          return 'name an action: list, show or refresh';
      }
    });
  },
});

/** The folder that `guard start` reads. Undefined if the settings have problems, which are printed. */
function usualFolder(config: string | undefined): string | undefined {
  const file = settingsFile(config);
  if (typeof file !== 'string') {
    if (file.isForeign) throw new Error(file.why);
    return DEFAULT_FOLDER;
  }
  const settings = readSettings(file)?.settings;
  return settings && (crawlerRangesFolder(settings) ?? DEFAULT_FOLDER);
}

async function attempt(
  action: () => number | string | Promise<number | string>,
): Promise<number | string> {
  try {
    return await action();
  } catch (error) {
    return reportFailure('crawlers', messageOf(error));
  }
}

function list(givenText: string | undefined, folder: string, json: boolean): number {
  const catalogue = CrawlerCatalogue.load(undefined, folder);
  const searchText = givenText?.toLowerCase() ?? '';
  const views = catalogue
    .all()
    .filter(({ name, operator, category }) =>
      [name, operator, category].some((word) => word.toLowerCase().includes(searchText)),
    )
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .map((crawler) => viewOf(crawler, catalogue, Date.now()));
  // Only `show` prints the ranges.
  const withoutRanges = views.map(({ ranges, ...view }) => ({
    ...view,
    ranges: ranges && { ...ranges, entries: undefined },
  }));
  if (json) print(inertJson(withoutRanges));
  else if (views.length > 0) print(tableOf(views));
  else
    print(
      `guard crawlers: none has ${inertJson(givenText)} in its name, operator or category`,
      'error',
    );
  return 0;
}

function show(name: string, folder: string, json: boolean): number {
  const catalogue = CrawlerCatalogue.load(undefined, folder);
  const wantedName = name.toLowerCase();
  const crawler = catalogue
    .all()
    .find(
      (candidate) => candidate.name.toLowerCase() === wantedName || candidate.id === wantedName,
    );
  if (crawler === undefined) {
    const hint = `guard crawlers list ${inertJson(name)} searches`;
    return reportFailure('crawlers', `there is no crawler ${inertJson(name)}; ${hint}`);
  }
  const view = viewOf(crawler, catalogue, Date.now());
  print(json ? inertJson(view) : fullText(view));
  return 0;
}

async function refresh(
  names: readonly string[],
  into: string,
  json: boolean,
  terms: FetchTerms | string,
  acceptDrop: boolean,
): Promise<number | string> {
  if (typeof terms === 'string') return terms;
  const catalogue = CrawlerCatalogue.load(undefined, into);
  const chosenLists = chooseLists(catalogue, names);
  if (typeof chosenLists === 'string')
    return `no list that can be refreshed is called ${chosenLists}`;
  const options = { ...terms, clock: Date.now, acceptDrop };
  const bar = createProgressBar(
    json ? { write: () => undefined } : process.stderr,
    chosenLists.length,
  );
  const reports = await refreshCrawlers(chosenLists, into, options, ({ file }) =>
    bar.advance(file),
  );
  bar.end();
  print(
    json
      ? inertJson({ into, lists: reports })
      : describeReports(
          reports,
          ({ file, ranges }) => [file, `${ranges} ranges`],
          `lists are current in ${into}`,
        ),
  );
  return reports.every(({ reason }) => reason === '') ? 0 : 1;
}

/** The lists with these names. Without names, all lists. When the result is a text, it is a name that no list has. */
function chooseLists(
  catalogue: CrawlerCatalogue,
  names: readonly string[],
): readonly CrawlerList[] | string {
  const refreshable = catalogue.lists.filter(({ refreshUrls }) => refreshUrls.length > 0);
  const chosenLists = new Set<CrawlerList>();
  for (const name of names) {
    const wantedName = name.toLowerCase();
    const crawler = catalogue
      .all()
      .find((candidate) => candidate.name.toLowerCase() === wantedName);
    const crawlerList = crawler && catalogue.proofsOf(crawler).list;
    const matchingLists = refreshable.filter(
      (candidate) =>
        candidate.file === wantedName ||
        candidate.operator.toLowerCase() === wantedName ||
        candidate === crawlerList,
    );
    if (matchingLists.length === 0) return inertJson(name);
    for (const match of matchingLists) chosenLists.add(match);
  }
  return names.length === 0 ? refreshable : [...chosenLists];
}
