import type { Action } from '@guard/config/contract/event';
import type { Log } from '@guard/config/contract/ports';

type Fields = NonNullable<Parameters<Log>[2]>;

const ECS_VERSION = '8.11.0';

/** The ECS names of the fields in a decision line. Any other field gets the prefix `guard.`. */
export const ECS_FIELDS = {
  action: 'event.action',
  ip: 'source.ip',
  user_agent: 'user_agent.original',
  method: 'http.request.method',
  request_id: 'http.request.id',
  status_code: 'http.response.status_code',
  host: 'url.domain',
  path: 'url.path',
  rule: 'rule.name',
  organisation: 'organization.id',
  trace_id: 'trace.id',
  span_id: 'span.id',
} as const;
const ECS_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(ECS_FIELDS));

const ECS_OUTCOMES: Readonly<Record<Action, EcsOutcome>> = {
  allow: { type: 'allowed', outcome: 'success' },
  block: { type: 'denied', outcome: 'failure' },
  challenge: { type: 'denied', outcome: 'failure' },
  limited: { type: 'denied', outcome: 'failure' },
};

interface EcsOutcome {
  readonly type: 'allowed' | 'denied';
  readonly outcome: 'success' | 'failure';
}

/** Returns a log line in ECS 8, as an object with dotted names. `time` is ISO 8601 in UTC. */
export function ecsLine(time: string, level: string, event: string, fields: Fields): object {
  const isDecision = event === 'decision';
  const line: Record<string, unknown> = {
    '@timestamp': time,
    'log.level': level,
    message: event,
    'ecs.version': ECS_VERSION,
    'service.name': 'guard',
    'event.dataset': isDecision ? 'guard.decision' : 'guard.log',
    'event.kind': 'event',
  };
  if (isDecision) {
    // The cast is safe, because watch-events.ts writes an Action into this field.
    const { type, outcome } = ECS_OUTCOMES[fields['action'] as Action];
    line['event.category'] = ['network', 'web'];
    line['event.type'] = ['access', type];
    line['event.outcome'] = outcome;
  }
  for (const [name, value] of Object.entries(fields)) {
    const ecsName = isDecision ? ECS_NAMES.get(name) : undefined;
    line[ecsName ?? `guard.${name}`] = value;
  }
  return line;
}
