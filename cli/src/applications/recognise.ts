import type { Origin } from '@guard/config/settings/values/values';
import { type AnsweredExchange, exchange, fieldsOf } from '../exchange/exchange.ts';
import { type Application, ASKED_PATHS, type Sign } from './application.ts';
import { type ApplicationName, APPLICATIONS } from './applications.ts';

/** The maximum number of requests to one origin, including the front page and its redirects. */
const MAX_REQUESTS = 5;
const MAX_REDIRECTS = 2;
const TOTAL_MS = 5_000;

export const APPLICATION_NAMES = Object.keys(APPLICATIONS) as ApplicationName[];

export type Recognised =
  | { readonly kind: 'recognised'; readonly name: ApplicationName; readonly sign: string }
  | { readonly kind: 'unknown' }
  /** Why the front page gave no answer, as a phrase. */
  | { readonly kind: 'silent'; readonly why: string };

/**
 * Finds out which application an origin is, with at most five requests. Every redirect is followed on the same origin,
 * even when it names another host.
 */
export async function recogniseOrigin(
  origin: Origin,
  hosts: readonly string[],
): Promise<Recognised> {
  const endsAtMs = Date.now() + TOTAL_MS;
  const base = origin.kind === 'unix' ? 'http://localhost' : origin.origin;
  const host = hosts.find((pattern) => !pattern.includes('*'));
  let leftMs = TOTAL_MS;
  const ask = async (path: string) => {
    const answer = await exchange(base + path, {
      headers: { ...(host !== undefined && { host }), accept: 'text/html, */*;q=0.8' },
      timeoutMs: leftMs,
      from: undefined,
      ...(origin.kind === 'unix' && { socketPath: origin.path }),
    });
    leftMs = Math.max(1, endsAtMs - Date.now());
    return answer;
  };

  let requestsLeft = MAX_REQUESTS;
  let path: string | undefined = '/';
  for (let step = 0; path !== undefined && step <= MAX_REDIRECTS; step += 1, requestsLeft -= 1) {
    const answer = await ask(path);
    if (answer.kind === 'failed') {
      return step === 0 ? { kind: 'silent', why: answer.why } : { kind: 'unknown' };
    }
    const recognised = recogniseAnswer(answer, undefined);
    if (recognised) return recognised;
    path = redirectPath(answer);
  }
  for (const signPath of ASKED_PATHS.slice(0, requestsLeft)) {
    const answer = await ask(signPath);
    const application = answer.kind === 'answered' ? recogniseAnswer(answer, signPath) : undefined;
    if (application) return application;
  }
  return { kind: 'unknown' };
}

function redirectPath(answer: AnsweredExchange): string | undefined {
  const [target] = fieldsOf(answer, 'location');
  if (target === undefined || !URL.canParse(target, answer.url)) return undefined;
  const { pathname, search } = new URL(target, answer.url);
  return pathname + search;
}

function recogniseAnswer(
  answer: AnsweredExchange,
  signPath: Sign['pathSuffix'],
): Recognised | undefined {
  for (const name of APPLICATION_NAMES) {
    const { signs }: Application = APPLICATIONS[name];
    const sign = signs.find(
      (candidate) => candidate.pathSuffix === signPath && isShown(candidate, answer),
    );
    if (sign) return { kind: 'recognised', name, sign: describeSign(sign) };
  }
  return undefined;
}

function isShown(sign: Sign, answer: AnsweredExchange): boolean {
  const { body } = answer;
  switch (sign.kind) {
    case 'header':
      return fieldsOf(answer, sign.name).some((value) => value.includes(sign.has ?? ''));
    case 'cookie':
      return fieldsOf(answer, 'set-cookie').some((value) => value.startsWith(sign.name));
    case 'generator':
      return (body.match(/<meta\s[^<>]*>/gi) ?? []).some(
        (tag) =>
          /\bname=["']?generator\b/i.test(tag) &&
          new RegExp(`\\bcontent=["']?${sign.name}`, 'i').test(tag),
      );
    case 'asset': {
      const tags = body.match(/<(?:script|link)\s[^<>]*>/gi) ?? [];
      return tags.some((tag) => tag.includes(sign.path));
    }
    case 'text':
      return body.includes(sign.text);
  }
}

/** Describes a sign with the words of the guide and the commands. */
export function describeSign(sign: Sign): string {
  const pathText = sign.pathSuffix === undefined ? '' : ` of ${sign.pathSuffix}`;
  switch (sign.kind) {
    case 'header':
      return `header ${sign.name}${sign.has === undefined ? '' : ` with ${sign.has}`}${pathText}`;
    case 'cookie':
      return `cookie ${sign.name}`;
    case 'generator':
      return `generator ${sign.name.trim()}`;
    case 'asset':
      return `scripts or styles in ${sign.path}`;
    case 'text':
      return `the text ${sign.text}${pathText}`;
  }
}
