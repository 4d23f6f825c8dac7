import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { PrefixSet } from '@guard/config/net/prefix-set';
import {
  canonicalNetwork,
  type DecisionTarget,
  MAX_DECISION_MS,
  MAX_DECISIONS,
  targetText,
  TemporaryDecision,
} from '@guard/config/settings/derived/temporary-decision';
import { Duration } from '@guard/config/settings/values/values';
import { callerName } from '../command-line/caller.ts';
import { chooseOrganisation } from '../command-line/choose-organisation.ts';
import { type Command, createCommand } from '../command-line/command.ts';
import {
  CONFIG_OPTION,
  flag,
  type Options,
  type ReadLine,
  valued,
} from '../command-line/options.ts';
import { NO_FILE, readSettings, settingsFile } from '../command-line/read-settings.ts';
import { failed, print } from '../terminal/terminal.ts';
import { changeDecisions } from '../decisions/change-decisions.ts';
import { readTarget } from '../decisions/read-target.ts';

const OPTIONS = {
  config: CONFIG_OPTION,
  for: valued('TIME', 'how long: 30m, 12h, 7d; at most 90d'),
  because: valued('TEXT', 'the reason, for the others who read the list'),
  organisation: valued('ID', 'needed where the file has more than one'),
  json: flag('one JSON object, nothing else'),
} as const satisfies Options;

const WORDS = {
  block: {
    summary: 'Block an address, network, session or autonomous system for a while.',
    does: 'blocks every request of the target',
    state: 'blocked',
  },
  allow: {
    summary: 'Let an address, network, session or autonomous system in for a while.',
    does: 'lets every request of the target through, whatever rules, limits and\ndetection say',
    state: 'allowed',
  },
} as const;

/** `guard block` or `guard allow`. */
export function createDecideCommand(verdict: keyof typeof WORDS): Command {
  const { summary, does, state } = WORDS[verdict];
  return createCommand({
    name: verdict,
    summary,
    usage: [
      `guard ${verdict} TARGET --for TIME --because TEXT [--organisation ID] [--config FILE] [--json]`,
    ],
    about: `Makes a temporary decision, which ${does}.
TARGET is an address (203.0.113.7), a network (203.0.113.0/24), an autonomous system
(AS64496), or a session as events name it (32 hex digits).

It holds before all rules, from a second later, in every Guard that shares the Redis or the
data folder of the settings, and ends by itself. Events name it as their rule: temporary ID.`,
    options: OPTIONS,
    notes: `Of several decisions that fit, a session counts before an address, a small network before a
large one, and an autonomous system last. One target has one decision: the last one. Where
Guard only observes, a block is recorded and not enforced. guard decisions lists and ends them.`,
    exits: '0 decided, 1 refused and nothing changed, 2 called wrongly.',
    async run(line) {
      const asked = readAsked(line);
      if (typeof asked === 'string') return asked;
      const settings = readSettings(asked.config)?.settings;
      const organisation = settings && chooseOrganisation(verdict, settings, asked.organisation);
      if (settings === undefined || organisation === undefined) return 1;
      const now = Date.now();
      const { target, because, lastsMs, json } = asked;
      const decision: TemporaryDecision = {
        ...{ id: newId(), organisation, verdict, target, because },
        ...{ by: callerName(), madeAt: now, until: now + lastsMs },
      };
      const changed = await changeDecisions(settings, now, (current) =>
        addDecision(current, decision),
      );
      if (typeof changed === 'string') return failed(verdict, `${changed}; nothing was changed`);
      const notes = notesOn(decision, settings.trusted_proxies);
      const replaced = changed.result?.id;
      if (json) print(JSON.stringify({ ...decision, replaced: replaced ?? null, notes }));
      else {
        const instead = replaced === undefined ? '' : `, instead of ${replaced}`;
        const ends = new Date(decision.until).toISOString().slice(0, 16).replace('T', ' ');
        print(`${decision.id}: ${targetText(target)} is ${state} until ${ends} UTC${instead}.`);
        for (const note of notes) print(note, 'error');
      }
      return 0;
    },
  });
}

interface Asked {
  readonly config: string;
  readonly target: DecisionTarget;
  readonly lastsMs: number;
  readonly because: string;
  readonly organisation: string | undefined;
  readonly json: boolean;
}

/** What the command line asks for, or a sentence about the mistake. */
function readAsked({ values, positionals }: ReadLine<typeof OPTIONS>): Asked | string {
  const [operand, more] = positionals;
  const { because = '', organisation, json } = values;
  const config = settingsFile(values.config);
  if (config === undefined) return NO_FILE;
  if (operand === undefined) return 'say whom: an address, for example';
  if (more !== undefined) return `unexpected word: ${more}`;
  const target = readTarget(operand);
  if (typeof target === 'string') return target;
  const lasts = Duration.safeParse(values.for);
  if (!lasts.success || lasts.data < 1000 || lasts.data > MAX_DECISION_MS) {
    return 'say how long: --for 1d (1s to 90d)';
  }
  if (!TemporaryDecision.shape.because.safeParse(because).success) {
    return "say why, in at most 200 characters: --because 'scrapes prices'";
  }
  return { config, target, lastsMs: lasts.data, because, organisation, json };
}

/** Each target has one decision. Returns the decision that is replaced. */
function addDecision(current: readonly TemporaryDecision[], decision: TemporaryDecision) {
  const others = current.filter((one) => !isSameTarget(one, decision));
  if (others.length >= MAX_DECISIONS) {
    return `there are already ${MAX_DECISIONS} decisions; end some, or write a rule with a list`;
  }
  const result = current.find((one) => isSameTarget(one, decision));
  return { decisions: [...others, decision], result };
}

function isSameTarget(one: TemporaryDecision, other: TemporaryDecision): boolean {
  return one.organisation === other.organisation && isDeepStrictEqual(one.target, other.target);
}

/** Six letters and digits. A collision among 2,000 current decisions and all earlier ones is very unlikely. */
function newId(): string {
  return `t${randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0')}`;
}

function notesOn(
  { target, verdict }: { readonly target: DecisionTarget; readonly verdict: string },
  trustedProxies: readonly string[],
): string[] {
  if (target.kind !== 'network') return [];
  const { network } = target;
  const notes: string[] = [];
  const decided = PrefixSet.from([network]);
  const proxy = trustedProxies.find(
    (trusted) => decided.has(firstOf(trusted)) || PrefixSet.from([trusted]).has(firstOf(network)),
  );
  if (proxy !== undefined) {
    notes.push(
      `Note: ${proxy} is in trusted_proxies. Guard judges the address that a proxy tells, so this decision may hold for no visitor.`,
    );
  }
  if (verdict === 'block' && network.includes(':') && !network.includes('/')) {
    notes.push(`Note: a visitor with IPv6 has a whole /64. ${network}/64 reaches all of it.`);
  }
  return notes;
}

/** First address of a network. */
function firstOf(network: string): string {
  return canonicalNetwork(network).split('/')[0] ?? '';
}
