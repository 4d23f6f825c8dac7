import type { Settings } from '@guard/config/settings/schema';
import type { TemporaryDecision } from '@guard/config/settings/derived/temporary-decision';
import {
  createValidator,
  type Explained,
  type ExplainQuestion,
  MemoryStore,
  TemporaryRules,
  validatorSettings,
} from '@guard/validator';

/** Each explanation has its own empty store, so explanations share no state. */
const NO_STORE = { maxSessions: 1, maxSpent: 1, maxBudgets: 1 };

/**
 * Builds the validator of these settings in the same way as a start of Guard, and lets it explain one request. It makes
 * no DNS requests, so a claim that needs reverse DNS stays unverifiable.
 */
export function askValidator(
  settings: Settings,
  organisation: string,
  question: ExplainQuestion,
  decisions: readonly TemporaryDecision[],
): Promise<Explained> {
  const temporary = new TemporaryRules(Date.now);
  temporary.replace(decisions);
  const validator = createValidator({
    ...validatorSettings(settings),
    observe: settings.observe || isObserved(settings, question.site),
    collectorUrl: () => settings.public_urls.collector ?? '',
    store: new MemoryStore(Date.now, NO_STORE),
    temporary,
    events: { record: () => undefined },
    clock: Date.now,
    log: () => undefined,
    metrics: { count: () => undefined, gauge: () => undefined },
    isReady: () => true,
  });
  return validator.explain(organisation, question);
}

/** Whether a site is in observe mode. The name of a site is its first host. */
function isObserved({ sites }: Settings, name: string): boolean {
  return sites.some(({ hosts, observe }) => observe && hosts[0] === name);
}
