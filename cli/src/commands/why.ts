import { RETENTION } from '@guard/config/contract/limits';
import { inertJson } from '@guard/config/settings/problems/problems';
import type { Settings } from '@guard/config/settings/schema';
import { createCommand } from '../command-line/command.ts';
import { switchOption, valueOption } from '../command-line/options.ts';
import { EVENTS_OPTIONS, findGuard } from '../running-guard/find-guard.ts';
import type { EventsAccess } from '../running-guard/query-events.ts';
import { toPrintable } from '../terminal/printable.ts';
import { reportFailure, print } from '../terminal/terminal.ts';
import { type SearchSubject, readSubject, subjectText } from '../why/asked.ts';
import { lookUp } from '../why/look-up.ts';

const WAYS = ['session', 'address', 'network', 'agent', 'reason'] as const;

const DAY_S = 86_400;
const [ROW_DAYS, DETAIL_DAYS] = [RETENTION.rowsS / DAY_S, RETENTION.detailS / DAY_S];

export const why = createCommand({
  name: 'why',
  summary: 'Explain by the code on a page why a visitor was stopped, and how to allow the visitor.',
  usage: [
    'guard why CODE [--let-in WAY] [--config FILE] [--json]',
    'guard why REQUEST_ID | SESSION | ADDRESS [--let-in WAY] [--config FILE] [--json]',
  ],
  about: `Takes the reference code that a visitor reads on a page of Guard, and explains the request
in plain words: what happened, what Guard found, and which rule at which line of guard.yaml
decided. It also says what the visitor can do, and what to write into guard.yaml to let the
visitor in. A request id, the session of an event (32 hex digits) or an address works too.
For an address you get the newest five requests, and all requests in numbers.`,
  options: {
    ...EVENTS_OPTIONS,
    'let-in': valueOption('WAY', `print this change of guard.yaml:\n${WAYS.join(', ')}`, WAYS),
    json: switchOption('one JSON object: `{ "asked": …, "events": [ … ], "in_all": … }`'),
  },
  notes: `The command asks a running Guard over POST /query, and changes nothing. Events are kept for
${ROW_DAYS} days, their header fields for ${DETAIL_DAYS}.`,
  exits: `0 found; 1 there is no such event, the settings are refused, or Guard gives no answer;
2 called wrongly.`,
  async run({ values, positionals }) {
    const [operand, more] = positionals;
    if (operand === undefined || more !== undefined) {
      return 'name one code, as in: guard why K7QM2X9D';
    }
    const subject = readSubject(operand);
    if (subject === undefined) {
      const shownOperand = toPrintable(JSON.stringify(operand), 80);
      return `${shownOperand} is no reference code (8 letters and digits), request id (a UUID), session (32 hex digits) or address`;
    }
    const way = values['let-in'];
    if (way !== undefined && !WAYS.some((name) => name === way)) {
      return `--let-in is one of: ${WAYS.join(', ')}`;
    }
    const guard = findGuard(values);
    if (typeof guard !== 'object') return guard;
    const { settings, events } = guard;
    if ('missing' in events) return events.missing;
    return printAnswer({ subject, access: events, settings, way, json: values.json });
  },
});

async function printAnswer(question: {
  readonly subject: SearchSubject;
  readonly access: EventsAccess;
  readonly settings: Settings | undefined;
  readonly way: string | undefined;
  readonly json: boolean;
}): Promise<number> {
  const { subject, access, settings, way, json } = question;
  const result = await lookUp(access, subject);
  switch (result.kind) {
    case 'refused':
      return reportFailure('why', result.why);
    case 'none':
      if (json) print(inertJson({ asked: subject, events: [], in_all: null }));
      print(describeNothingFound(subject, access), 'error');
      return 1;
    case 'found': {
      // The module is loaded on demand: the texts of the reasons are large, and `guard --help` does not need them.
      const { createEventExplainer } = await import('../why/event-explainer.ts');
      const { describeEvent, describeSummary, describeOthers } =
        await import('../why/describe-event.ts');
      const explain = createEventExplainer(settings);
      const [first, ...more] = result.events;
      const newest = explain(first);
      const events = [newest, ...more.map(explain)];
      const { inAll } = result;
      if (json) {
        print(inertJson({ asked: subject, events, in_all: inAll ?? null }));
        return 0;
      }
      // A stopped request is shown first, because support people want to know why a visitor was stopped.
      const mainEvent = events.find(({ action }) => action !== 'allow') ?? newest;
      const otherEvents = events.filter((event) => event !== mainEvent);
      const title = inAll ? 'Other newest requests' : `Other requests with ${subjectText(subject)}`;
      print(
        [
          ...(inAll ? [describeSummary(`All of ${subjectText(subject)}`, inAll)] : []),
          describeEvent(mainEvent, way),
          ...(otherEvents.length === 0 ? [] : [describeOthers(title, otherEvents)]),
        ].join('\n\n'),
      );
      return 0;
    }
  }
}

function describeNothingFound(subject: SearchSubject, { url }: EventsAccess): string {
  const tries = {
    reference:
      'Let the visitor read the code again, or ask by address: guard why ADDRESS. A code has eight digits and letters, and none of I, L, O and U.',
    request: 'Ask by the code of the page or by address: guard why ADDRESS.',
    session:
      'Take the value of the column session or session_sent of an event. The value of the cookie _guard does not work.',
    address:
      'Does Guard see this address? guard doctor says which address Guard sees. Behind a proxy, Guard sees the address of the visitor only when trusted_proxies lists the proxy.',
  } as const;
  return `guard why: no event has ${subjectText(subject)}.
Looked at ${url}, in the events that the analytics key may read: those of its own organisation.
Events are kept for ${ROW_DAYS} days, and a new one is there after a second or two.
${tries[subject.kind]}`;
}
