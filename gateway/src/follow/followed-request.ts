import type { RequestTrace } from '@guard/config/contract/tracing';
import type { StageTimes } from './stage-times.ts';

/** Who wants to hear of one request, told of each thing once. */
export class FollowedRequest {
  readonly #trace: RequestTrace | undefined;
  readonly #times: StageTimes | undefined;
  readonly #onOver: (request: FollowedRequest) => void;
  #isDecided = false;
  #status: number | undefined;
  #isOver = false;

  /** `onOver` is called once, when it has ended. */
  constructor(
    trace: RequestTrace | undefined,
    times: StageTimes | undefined,
    onOver: (request: FollowedRequest) => void,
  ) {
    this.#trace = trace;
    this.#times = times;
    this.#onOver = onOver;
  }

  decided(decision: string, requestId: string | undefined): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#times?.decided();
    this.#trace?.decided(decision, requestId);
  }

  /** The header section of the answer goes out; returns it with what is added. */
  answering(status: number, fields: string[]): string[] {
    // What was not forwarded by now is answered by the gateway.
    this.decided('served', undefined);
    this.#status = status;
    const times = this.#times?.text();
    return times === undefined ? fields : [...fields, 'Server-Timing', times];
  }

  /** The answer is whole, or there will be none. */
  ended(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#trace?.ended(this.#status);
    this.#onOver(this);
  }
}
