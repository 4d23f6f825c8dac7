import { readFetchedKeys } from '@guard/config/settings/keys/agent-keys';
import { nearestName } from '@guard/config/settings/problems/nearest-name';
import type { Settings } from '@guard/config/settings/schema';
import { allMatchesOf } from '@guard/config/settings/sections/rule';
import type { AgentDirectory } from '@guard/config/settings/sections/web-bot-auth';
import { messageOf } from '../terminal/faults.ts';
import { type Remark, warning } from './remark.ts';

/** Warns of signed agents that cannot be verified: directories without fetched keys, and rules with an unknown agent. */
export function unknownAgents({ web_bot_auth: settings, organisations }: Settings): Remark[] {
  const { directories = [], fetched_keys: folder = '', keys } = settings ?? {};
  const knownAgents = [
    ...directories.flatMap(({ name, url }) => [name, url]),
    ...(keys?.keys.map(({ agent }) => agent.toLowerCase()) ?? []),
  ];
  const strangers = organisations.flatMap(({ rules }, index) =>
    rules.flatMap(({ match }, ruleIndex) =>
      allMatchesOf(match)
        .flatMap(({ agent = [] }) => agent)
        .filter(
          (agent) => agent !== '*' && !knownAgents.includes(agent.toLowerCase().replace(/\/$/, '')),
        )
        .map((agent) =>
          warning(
            ['organisations', index, 'rules', ruleIndex, 'match'],
            strangerMessage(agent, knownAgents),
          ),
        ),
    ),
  );
  const unfetchedDirectories = directories.flatMap((directory, index) => {
    const state = stateOf(directory, folder);
    const path = ['web_bot_auth', 'directories', index];
    return state === undefined ? [] : [warning(path, `${state}: run guard agents refresh`)];
  });
  return [...strangers, ...unfetchedDirectories];
}

function strangerMessage(agent: string, knownAgents: readonly string[]): string {
  const near = nearestName(agent, knownAgents);
  const suggestion = near === undefined ? '' : `; did you mean ${near}?`;
  return `no directory and no key of web_bot_auth is called ${agent}, so this condition never matches${suggestion}`;
}

/** What is missing in a directory. Undefined when it has keys. */
function stateOf(directory: AgentDirectory, folder: string): string | undefined {
  try {
    if (readFetchedKeys(folder, directory) !== undefined) return undefined;
    return `no keys of ${directory.url} are here`;
  } catch (error) {
    return messageOf(error);
  }
}
