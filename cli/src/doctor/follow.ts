import { type AnsweredExchange, type Exchange, fieldsOf } from '../exchange/exchange.ts';

/** Every browser follows at least this many redirects. */
const MAX_STEPS = 10;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export type RedirectChain =
  | { readonly kind: 'arrived'; readonly steps: readonly string[]; readonly page: AnsweredExchange }
  | { readonly kind: 'loop' | 'too_long'; readonly steps: readonly string[] }
  | { readonly kind: 'failed'; readonly steps: readonly string[]; readonly why: string };

/** Follows redirects and keeps cookies, like a browser. `steps` are the requested URLs. */
export async function follow(
  url: string,
  ask: (url: string, headers: Readonly<Record<string, string>>) => Promise<Exchange>,
): Promise<RedirectChain> {
  const steps: string[] = [];
  const cookies = new Map<string, string>();
  const states = new Set<string>();
  let current = url;
  while (steps.length < MAX_STEPS) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    // The same page with another cookie is not a loop, because log-ins redirect in this way.
    const state = `${current}\n${cookie}`;
    if (states.has(state)) return { kind: 'loop', steps: [...steps, current] };
    states.add(state);
    steps.push(current);
    const answer = await ask(current, cookie === '' ? {} : { cookie });
    if (answer.kind === 'failed') return { kind: 'failed', steps, why: answer.why };
    const [target] = fieldsOf(answer, 'location');
    if (
      !REDIRECT_STATUSES.has(answer.status) ||
      target === undefined ||
      !URL.canParse(target, current)
    ) {
      return { kind: 'arrived', steps, page: answer };
    }
    for (const line of fieldsOf(answer, 'set-cookie')) {
      const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined && name !== '_guard') cookies.set(name.trim(), value ?? '');
    }
    const nextUrl = new URL(target, current);
    if (!/^https?:$/.test(nextUrl.protocol)) {
      return { kind: 'failed', steps, why: `a redirect to ${nextUrl.protocol}` };
    }
    current = nextUrl.href;
  }
  return { kind: 'too_long', steps };
}
