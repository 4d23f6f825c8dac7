import type { Ending, RequestEnded } from '@guard/config/contract/ports';

/** Follows an allowed request until the origin has answered it. */
export interface AnswerWatch {
  /**
   * Whether the visitor may get this answer. The parameters and the order of the calls are those of HoldBack. Undefined
   * when the visitor may get every answer.
   */
  readonly admits?: ((ending: Ending, isShared: boolean) => boolean) | undefined;
  /** Called as ResponseExtras.ended. */
  readonly ended: RequestEnded;
}
