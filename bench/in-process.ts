import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { Validate, ValidateOutcome } from '@guard/config/contract/ports';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import type { Organisation } from '@guard/config/settings/schema';
import { createValidator, MemoryStore, type ValidatorOptions } from '@guard/validator';

const crawlers = CrawlerCatalogue.load();

/** Returns the real validator of one organisation. It records no events. */
export function validateFor(
  organisation: Organisation,
  options: Partial<ValidatorOptions> = {},
): Validate {
  const validator = createValidator({
    organisations: [organisation],
    secrets: ['the secret of the bench, long enough'],
    observe: false,
    collectorUrl: () => '',
    healthToken: undefined,
    crawlers,
    store: new MemoryStore(Date.now),
    events: { record: () => undefined },
    clock: Date.now,
    log: () => undefined,
    metrics: { count: () => undefined, gauge: () => undefined },
    isReady: () => true,
    ...options,
  });
  return validator.forOrganisation(organisation.id);
}

/** Asks about one request. With a store in memory the answer comes at once. Throws when it does not. */
export function decideAtOnce(validate: Validate, request: ValidateRequest): ValidateOutcome {
  const outcome = validate(request, { site: 'shop' });
  if (outcome instanceof Promise) throw new Error('the memory store answers at once');
  return outcome;
}
