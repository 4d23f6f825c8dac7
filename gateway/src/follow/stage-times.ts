import type { Visit } from '../arrive/visit.ts';

/** The field that asks for Server-Timing. Like all of this name it never reaches the origin. */
const ASKS = 'x-guard-server-timing';

/**
 * Whether an answer is to say how long its stages took. Only to a program of this machine that speaks for
 * itself: how fast a decision was can tell which way it took, and that is no visitor's business.
 */
export function asksForTimes({ client, req }: Visit): boolean {
  return (
    client.from === 'peer' &&
    (client.ip === '127.0.0.1' || client.ip === '::1') &&
    req.headers[ASKS] !== undefined
  );
}

/** When one request came to which stage. */
export class StageTimes {
  readonly #arrivedAt = performance.now();
  #decidedAt: number | undefined;
  #forwarded = false;

  decided(): void {
    this.#decidedAt = performance.now();
  }

  forwarded(): void {
    this.#forwarded = true;
  }

  /** As Server-Timing has it: milliseconds until it was decided, then until the answer began. */
  text(): string {
    const now = performance.now();
    const decidedAt = this.#decidedAt ?? now;
    const decide = `guard-decide;dur=${(decidedAt - this.#arrivedAt).toFixed(3)}`;
    return this.#forwarded ? `${decide}, guard-origin;dur=${(now - decidedAt).toFixed(3)}` : decide;
  }
}
