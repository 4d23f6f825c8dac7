import type { MaybePromise, ValidateContext, ValidateOutcome } from '@guard/config/contract/ports';
import type { Late, Patience } from '@guard/config/time/patience';
import { describe, transportOfVisitor } from './describe.ts';
import type { Inquiry } from '../arrive/visit.ts';

/**
 * Asks the site's validator once (contract 4.1 rule 1). Answers in the same turn when the validator does;
 * otherwise while there is patience, come what may. Never rejects. Throws where the gateway itself fails to
 * describe the request: that is no failure of the validator, so the request must not pass.
 */
export function ask(visit: Inquiry, patience: Patience): MaybePromise<ValidateOutcome> {
  const { config } = visit.site;
  const request = describe(visit);
  const context = contextOf(visit);
  try {
    const outcome = config.validate(request, context);
    if (!(outcome instanceof Promise)) return outcome;
    // A remote validator keeps the time that its own settings give.
    const caught = outcome.catch(broken);
    return config.validator === 'remote' ? caught : patience.within(caught, unanswered);
  } catch (error) {
    return broken(error);
  }
}

function contextOf(inquiry: Inquiry): ValidateContext {
  const { bodySample } = inquiry;
  const context = placeOf(inquiry);
  return bodySample === undefined ? context : { ...context, body: bodySample };
}

function placeOf(inquiry: Inquiry): ValidateContext {
  const { site, client, protocol } = inquiry;
  const context = site.contexts[client.from][protocol ?? 'described'];
  const transport = transportOfVisitor(inquiry);
  return transport === undefined ? context : { ...context, transport };
}

function unanswered(why: Late): ValidateOutcome {
  const reason = why === 'busy' ? 'overloaded' : 'timeout';
  return { kind: 'failed', reason, detail: 'no answer in time' };
}

/** The port says that it never throws; if it does, the visitor is still to be answered. */
function broken(error: unknown): ValidateOutcome {
  const detail = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', reason: 'server_error', detail };
}
