import type { Answers } from './evidence.ts';
import { type AnsweredExchange, type Exchange, fieldsOf } from '../exchange/exchange.ts';
import { sessionCookie } from './guard-page.ts';

/** Header fields in which caches report a hit. */
const CACHE_FIELDS = [
  'x-cache',
  'cf-cache-status',
  'x-cache-status',
  'x-proxy-cache',
  'cache-status',
];

/** A sign that a cache in front of Guard stored the answers. Undefined when there is no such sign. */
export function cacheSign({ page, again }: Answers): string | undefined {
  if (again.kind === 'answered') {
    const session = sessionCookie(page);
    if (session !== undefined && sessionCookie(again) === session) {
      return 'two visitors were given the same session';
    }
  }
  return cacheHitField(page) ?? cacheHitField(again);
}

function cacheHitField(answer: Exchange): string | undefined {
  if (answer.kind === 'failed') return undefined;
  for (const name of CACHE_FIELDS) {
    const [value] = fieldsOf(answer, name);
    if (value !== undefined && /\b(hit|stale|revalidated|updating)\b/i.test(value)) {
      return `${name}: ${value.slice(0, 60)}`;
    }
  }
  const [age = '0'] = fieldsOf(answer, 'age');
  return Number(age) > 0 ? `Age: ${age.slice(0, 20)}` : undefined;
}

const NAMING_FIELDS = ['via', 'server', 'x-served-by', 'cf-ray', 'x-amz-cf-id', 'fly-request-id'];

/** The names of the servers that passed an answer on. The field `server` can also come from the site itself. */
export function serverNamesIn(answer: AnsweredExchange): readonly string[] {
  return NAMING_FIELDS.flatMap((name) =>
    fieldsOf(answer, name).map((value) => `${name}: ${value.slice(0, 40)}`),
  );
}
