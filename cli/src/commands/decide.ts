import { inertJson } from '@guard/config/settings/problems/problems';
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
  switchOption,
  type Options,
  type ReadLine,
  valueOption,
} from '../command-line/options.ts';
import { readSettings, settingsFile } from '../command-line/read-settings.ts';
import { reportFailure, print } from '../terminal/terminal.ts';
import { changeDecisions } from '../decisions/change-decisions.ts';
import { readTarget } from '../decisions/read-target.ts';

const OPTIONS = {
  config: CONFIG_OPTION,
  for: valueOption('TIME', 'how long: 30m, 12h, 7d; at most 90d'),
  because: valueOption('TEXT', 'the reason, for other people who read the list'),
  organisation: valueOption('ID', 'needed when the file has several organisations'),
  json: switchOption('one JSON object, nothing else'),
} as const satisfies Options;

const VERDICT_TEXTS = {
  block: {
    summary: 'Block an address, network, session or autonomous system for a while.',
    does: 'blocks every request of the target. Under\nobserve, a block is recorded and not enforced',
    state: 'blocked',
  },
  allow: {
    summary: 'Let an address, network, session or autonomous system in for a while.',
    does: 'lets every request of the target through, whatever rules, limits and\ndetection say',
    state: 'allowed',
  },
} as const;

export function createDecideCommand(verdict: keyof typeof VERDICT_TEXTS): Command {
  const { summary, does, state } = VERDICT_TEXTS[verdict];
  return createCommand({
    name: verdict,
    summary,
    usage: [
      `guard ${verdict} TARGET --for TIME --because TEXT [--organisation ID] [--config FILE] [--json]`,
    ],
    about: `Makes a temporary decision, which ${does}.
TARGET is an address (203.0.113.7), a network (203.0.113.0/24), an autonomous system
(AS64496), or a session as events name it (32 hex digits).

The decision counts before all rules, in every Guard that shares the Redis or the data folder
of the settings. It starts within a second and ends by itself. Events name it as their rule:
temporary ID.`,
    options: OPTIONS,
    notes: `When several decisions match a request, a session counts before an address, a small network
before a large one, and an autonomous system last. A new decision on a target replaces the
earlier one. guard decisions lists and ends temporary decisions.`,
    exits: '0 decided, 1 refused and nothing changed, 2 called wrongly.',
    async run(line) {
      const call = readCall(line);
      if (typeof call === 'string') return call;
      const settings = readSettings(call.config)?.settings;
      const organisation = settings && chooseOrganisation(verdict, settings, call.organisation);
      if (settings === undefined || organisation === undefined) return 1;
      const now = Date.now();
      const { target, because, lastsMs, json } = call;
      const decision: TemporaryDecision = {
        ...{ id: newId(), organisation, verdict, target, because },
        ...{ by: callerName(), madeAt: now, until: now + lastsMs },
      };
      const change = await changeDecisions(settings, now, (current) =>
        addDecision(current, decision),
      );
      if (typeof change === 'string')
        return reportFailure(verdict, `${change}; nothing was changed`);
      const notes = notesOn(decision, settings.trusted_proxies);
      const replacedId = change.result?.id;
      if (json) print(inertJson({ ...decision, replaced: replacedId ?? null, notes }));
      else {
        const insteadText = replacedId === undefined ? '' : `, instead of ${replacedId}`;
        const endText = new Date(decision.until).toISOString().slice(0, 16).replace('T', ' ');
        print(
          `${decision.id}: ${targetText(target)} is ${state} until ${endText} UTC${insteadText}.`,
        );
        for (const note of notes) print(note, 'error');
      }
      return 0;
    },
  });
}

interface DecideCall {
  readonly config: string;
  readonly target: DecisionTarget;
  readonly lastsMs: number;
  readonly because: string;
  readonly organisation: string | undefined;
  readonly json: boolean;
}

function readCall({ values, positionals }: ReadLine<typeof OPTIONS>): DecideCall | string {
  const [operand, more] = positionals;
  const { because = '', organisation, json } = values;
  const config = settingsFile(values.config);
  if (typeof config !== 'string') return config.why;
  if (operand === undefined) return 'say whom: an address, for example';
  if (more !== undefined) return `unexpected word: ${more}`;
  const target = readTarget(operand);
  if (typeof target === 'string') return target;
  const duration = Duration.safeParse(values.for);
  if (!duration.success || duration.data < 1000 || duration.data > MAX_DECISION_MS) {
    return 'say how long: --for 1d (1s to 90d)';
  }
  if (!TemporaryDecision.shape.because.safeParse(because).success) {
    return "say why, in at most 200 characters: --because 'scrapes prices'";
  }
  return { config, target, lastsMs: duration.data, because, organisation, json };
}

/** Adds a decision to the list. Each target has only one decision, so `result` is the decision that is replaced. */
function addDecision(current: readonly TemporaryDecision[], decision: TemporaryDecision) {
  const otherDecisions = current.filter((other) => !isSameTarget(other, decision));
  if (otherDecisions.length >= MAX_DECISIONS) {
    return `there are already ${MAX_DECISIONS} decisions; end some, or write a rule with a list`;
  }
  const replacedDecision = current.find((other) => isSameTarget(other, decision));
  return { decisions: [...otherDecisions, decision], result: replacedDecision };
}

function isSameTarget(one: TemporaryDecision, other: TemporaryDecision): boolean {
  return one.organisation === other.organisation && isDeepStrictEqual(one.target, other.target);
}

/**
 * A new id of six letters and digits. A collision among 2,000 current decisions and all earlier ones is very unlikely.
 */
function newId(): string {
  const digits = randomInt(36 ** 6).toString(36);
  return `t${digits.padStart(6, '0')}`;
}

function notesOn(
  { target, verdict }: { readonly target: DecisionTarget; readonly verdict: string },
  trustedProxies: readonly string[],
): string[] {
  if (target.kind !== 'network') return [];
  const { network } = target;
  const notes: string[] = [];
  const decidedAddresses = PrefixSet.from([network]);
  const proxy = trustedProxies.find(
    (trustedNetwork) =>
      decidedAddresses.has(firstAddressOf(trustedNetwork)) ||
      PrefixSet.from([trustedNetwork]).has(firstAddressOf(network)),
  );
  if (proxy !== undefined) {
    notes.push(
      `Note: ${proxy} is in trusted_proxies. Guard judges the address that a proxy reports, so this decision may match no visitor.`,
    );
  }
  if (verdict === 'block' && network.includes(':') && !network.includes('/')) {
    notes.push(`Note: a visitor with IPv6 has a whole /64. ${network}/64 blocks all of it.`);
  }
  return notes;
}

function firstAddressOf(network: string): string {
  return canonicalNetwork(network).split('/')[0] ?? '';
}
