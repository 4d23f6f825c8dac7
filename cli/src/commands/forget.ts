import { inertJson } from '@guard/config/settings/problems/problems';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { UUID } from '@guard/config/contract/uuid';
import { parseIp } from '@guard/config/net/cidr';
import { truncateAddress } from '@guard/config/net/truncate-address';
import { controlSocket, type Person } from '@guard/config/settings/derived/forget-request';
import type { Settings } from '@guard/config/settings/schema';
import { callerName } from '../command-line/caller.ts';
import { chooseOrganisation } from '../command-line/choose-organisation.ts';
import { createCommand } from '../command-line/command.ts';
import { CONFIG_OPTION, switchOption, valueOption } from '../command-line/options.ts';
import { readSettings, settingsFile } from '../command-line/read-settings.ts';
import { askControl, type ControlAnswer } from '../forget/ask-control.ts';
import { openTerminal } from '../init/ask-questions.ts';
import { countText } from '../terminal/layout.ts';
import { reportFailure, print } from '../terminal/terminal.ts';

export const forget = createCommand({
  name: 'forget',
  summary: "Delete one person's events: those of an address or of a session.",
  usage: ['guard forget ADDRESS | SESSION [--organisation ID] [--yes] [--config FILE] [--json]'],
  about: `Counts the rows, asks you, deletes the rows with their headers and bodies from the database,
and checks that none is left. SESSION is the name of a session in events (32 hex digits), or the value of
the cookie _guard (a UUID).`,
  options: {
    config: CONFIG_OPTION,
    organisation: valueOption('ID', 'needed when the file has several organisations'),
    yes: switchOption('do not ask before rows are deleted'),
    json: switchOption(
      'one JSON object. With --yes:\n`{ "kind": "deleted", "rows": …, "left": …, "waiting": …, "audit": … }`;\nwithout it: `{ "kind": "counted", "rows": …, "waiting": … }`',
    ),
  },
  notes: `The command asks the running Guard over a socket in Guard's data folder. Only root and the account
of Guard can use this socket, so run the command as one of them, on the machine or in the
container of Guard. No key can delete. Logs, backups and exports keep their data.`,
  exits: `0 the person has no rows left, or had none; 1 rows are left, events still wait for
the database, nothing was deleted, or Guard gives no answer; 2 called wrongly.`,
  async run(line) {
    const call = readCall(line.values, line.positionals);
    if (typeof call === 'string') return call;
    const { person, config, yes, json } = call;
    const settings = readSettings(config)?.settings;
    const organisation =
      settings && chooseOrganisation('forget', settings, line.values.organisation);
    if (settings === undefined || organisation === undefined) return 1;
    const socket = controlSocket(settings);
    if (socket === undefined) {
      return reportFailure(
        'forget',
        'these settings name no folder for the socket of Guard: set analytics.spill (or store.path); without `analytics` no events are kept',
      );
    }
    const ask: AskGuard = (act) =>
      askControl(socket, { act, organisation, person, by: callerName() });
    const counts = await ask('count');
    if (counts.kind !== 'counted') return reportAnswer(counts, socket);
    for (const note of notesOn(person, counts.waiting, settings)) print(note, 'error');
    if (json && !yes) {
      print(inertJson(counts));
      return 0;
    }
    const { kind, value } = person;
    if (!json) {
      print(
        `${countText(counts.rows, 'row')} of the ${kind} ${value} in the organisation ${organisation}.`,
      );
    }
    const isAgreed = yes || counts.rows === 0 || (await askConsent(counts.rows));
    return isAgreed
      ? deleteRows(ask, socket, json)
      : reportFailure('forget', 'nothing was deleted');
  },
});

type AskGuard = (act: 'count' | 'delete') => Promise<ControlAnswer>;

function readCall(
  values: { readonly config?: string; readonly yes: boolean; readonly json: boolean },
  [operand, more]: readonly string[],
) {
  const { yes, json } = values;
  const person = operand === undefined || more !== undefined ? undefined : readPerson(operand);
  if (person === undefined) {
    return 'name one address, session (32 hex digits) or value of the cookie _guard, as in: guard forget 203.0.113.7';
  }
  const config = settingsFile(values.config);
  if (typeof config !== 'string') return config.why;
  if (!yes && !json && !process.stdin.isTTY) return 'there is no terminal to ask at: say --yes';
  return { person, config, yes, json };
}

async function deleteRows(ask: AskGuard, socket: string, json: boolean): Promise<0 | 1> {
  const outcome = await ask('delete');
  if (outcome.kind !== 'deleted') return reportAnswer(outcome, socket);
  const { rows, left, waiting, audit } = outcome;
  if (json) print(inertJson(outcome));
  else {
    const restText = describeRest(left, waiting);
    print(`${countText(rows, 'row')} deleted; ${restText}. The log names this deletion ${audit}.`);
  }
  return left === 0 && waiting === 0 ? 0 : 1;
}

function describeRest(leftRows: number, waitingBatches: number): string {
  if (leftRows > 0) return `${countText(leftRows, 'row')} came meanwhile: run the command again`;
  return waitingBatches > 0
    ? `none is left in the database, but ${countText(waitingBatches, 'event')} of all people still wait for the database: run the command again later`
    : 'none is left';
}

function readPerson(operand: string): Person | undefined {
  const address = parseIp(operand);
  if (address !== undefined) return { kind: 'address', value: address };
  if (/^[0-9a-f]{32}$/i.test(operand)) return { kind: 'session', value: operand.toLowerCase() };
  return UUID.test(operand)
    ? { kind: 'session', value: sessionDigest(operand.toLowerCase()) }
    : undefined;
}

/** Facts that the number of rows does not show. */
function notesOn(
  { kind, value }: Person,
  waitingBatches: number,
  { analytics }: Settings,
): string[] {
  const notes: string[] = [];
  if (waitingBatches > 0) {
    notes.push(
      `${countText(waitingBatches, 'event')} of all people wait for the database, and are not searched: run the command again later.`,
    );
  }
  if (kind === 'address' && analytics?.privacy?.truncate_ip === true) {
    notes.push(
      `Addresses are stored as those of their network (analytics.privacy.truncate_ip): rows of ${truncateAddress(value)} can be of this address or of any neighbour.`,
    );
  }
  return notes;
}

async function askConsent(rows: number): Promise<boolean> {
  const terminal = openTerminal();
  try {
    const answer = await terminal.ask(`Delete ${countText(rows, 'row')} for good? Type yes: `);
    return answer?.trim().toLowerCase() === 'yes';
  } finally {
    terminal.close();
  }
}

function reportAnswer(answer: ControlAnswer, socket: string): 1 {
  switch (answer.kind) {
    case 'refused':
      return reportFailure('forget', answer.message);
    case 'away':
      return reportFailure(
        'forget',
        `no Guard with these settings answers at ${socket}: ${answer.why}; is it running, and is this its account or root?`,
      );
    case 'counted':
    case 'deleted':
      return reportFailure('forget', 'the answer of Guard does not belong to the question');
  }
}
