import { z } from 'zod';
import { aiCategory } from './ai-category.ts';
import { LEFT_OUT } from './left-out.ts';
import { newSeed } from './seeds.ts';
import type { Seed } from './seeds.ts';

/** The AI list: data for each name. The licence does not allow copies of the descriptions, so they are not read. */
const AiList = z.record(z.string(), z.object({ operator: z.string(), function: z.string() }));

/** Returns seeds for the names of the AI list that crawlers.txt does not have. */
export function seedsOfAiList(list: unknown, knownSeeds: readonly Seed[]): Seed[] {
  const takenTokens = new Set(
    knownSeeds.flatMap(({ name, contains, startsWith }) =>
      [name, ...contains, ...startsWith].map((text) => text.toLowerCase()),
    ),
  );
  const seeds: Seed[] = [];
  for (const [listedName, agent] of Object.entries(AiList.parse(list))) {
    const name = listedName.replace(/[/ ]\d+(\.\d+)*$/, '');
    const key = name.toLowerCase();
    if (takenTokens.has(key) || LEFT_OUT.has(key)) continue;
    takenTokens.add(key);
    seeds.push(newSeed(name, operatorName(agent.operator), aiCategory(agent.function)));
  }
  return seeds;
}

/** Returns the name in `[Name](link)`, or in a text that begins with a name. */
function operatorName(text: string): string {
  const linked = /^\[([^\]]+)\]/.exec(text)?.[1];
  const name = linked ?? text.split(/[,;(]| that | which | to /, 1)[0] ?? '';
  return name === '' || /unclear|unknown|^https?:/i.test(name) ? 'Unknown' : name.trim();
}
