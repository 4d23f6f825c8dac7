/**
 * Builds config/data/crawlers, config/data/ip and config/data/licences from a folder of upstream lists:
 *
 *   node scripts/build-catalogue.ts <source folder>
 *
 * The same source gives the same bytes. scripts/catalogue/sources.ts has the files of the folder and their days.
 * scripts/catalogue/crawlers.txt has the crawlers that were added by hand. scripts/catalogue/origins.json has the lists
 * of crawlers.
 */
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataPath } from '../config/src/catalogue/data-path.ts';
import { UserAgentCatalogue } from '../config/src/catalogue/user-agents.ts';
import { seedsOfAiList } from './catalogue/ai-names.ts';
import { crawlerFiles } from './catalogue/crawler-files.ts';
import { readJson, readOrigins, readRangeLists } from './catalogue/crawler-ranges.ts';
import { ipListFiles } from './catalogue/ip-lists.ts';
import { readSeeds } from './catalogue/seeds.ts';
import { SOURCES } from './catalogue/sources.ts';
import {
  readUserAgentList,
  seedsOfUserAgentList,
  USER_AGENT_LICENCE,
} from './catalogue/user-agent-names.ts';

/** Licence texts of bundled lists, in the source folder. */
const LICENCES = [
  'ai-robots-txt-MIT.txt',
  'crowdsec-sec-lists-MIT.txt',
  'hexydec-MIT.txt',
  'ipverse-CC0.txt',
  'joe12387-CC0.txt',
  'lord-alfred-CC0.txt',
  'sefinek-MIT.txt',
  'tor-nodes-MIT.txt',
  'x4bnet-MIT.txt',
];

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: node scripts/build-catalogue.ts <source folder>');
  process.exit(2);
}

const handWrittenSeeds = readSeeds();
const fromAiList = seedsOfAiList(readJson(join(folder, SOURCES.aiRobots.file)), handWrittenSeeds);
const software = UserAgentCatalogue.load();
const fromUserAgents = seedsOfUserAgentList(
  readUserAgentList(),
  [...handWrittenSeeds, ...fromAiList],
  (userAgent) =>
    software.httpClientToken(userAgent) !== undefined ||
    software.automationToken(userAgent) !== undefined,
);
const seeds = [...handWrittenSeeds, ...fromAiList, ...fromUserAgents];
const files = crawlerFiles(seeds, readOrigins(), readRangeLists(folder));
write(
  'crawlers',
  new Map([...files].map(([name, file]) => [`${name}.json`, `${JSON.stringify(file, null, 2)}\n`])),
);
console.log(
  `${handWrittenSeeds.length} crawlers by hand, ${fromAiList.length} from the AI list alone, ${fromUserAgents.length} from the User-Agent list alone`,
);
for (const { name, category, operator } of [...fromAiList, ...fromUserAgents])
  console.log(`  ${name}: ${category}, ${operator}`);

write('ip', ipListFiles(folder));

mkdirSync(dataPath('licences'), { recursive: true });
for (const file of LICENCES) {
  copyFileSync(join(folder, 'licences', file), join(dataPath('licences'), file));
}
copyFileSync(USER_AGENT_LICENCE, join(dataPath('licences'), 'crawler-user-agents-MIT.txt'));

/** Writes the files of one data folder. Prints the names of other files in the folder, which were made by hand. */
function write(name: string, contents: ReadonlyMap<string, string>): void {
  const target = dataPath(name);
  mkdirSync(target, { recursive: true });
  for (const [file, text] of contents) writeFileSync(join(target, file), text);
  const otherFiles = readdirSync(target).filter((file) => !contents.has(file));
  console.log(`${name}: ${contents.size} files; left alone: ${otherFiles.join(', ') || 'none'}`);
}
