import type {
  Collect,
  CollectAnswer,
  CollectRequest,
  MaybePromise,
} from '@guard/config/contract/ports';
import type { Organisation, Site } from '@guard/config/settings/schema';
import type { ChallengeTerms } from '../challenge/tickets/challenge-terms.ts';
import type { BrowserBundle } from '../../browser/build.ts';
import { answerEchoPage } from '../challenge/echo-page.ts';
import { createTrapLinkAnswerer, TRAP_PATH, type TrapLinkOptions } from '../challenge/trap-link.ts';
import { createWitnessAnswerer } from '../challenge/witnesses/answer-witness.ts';
import { createWitnesses } from '../challenge/witnesses/witnesses.ts';
import type { Engine } from '../decision/engine.ts';
import { emptyAnswer } from '../challenge/exchange.ts';
import { createOpenSession } from './open-session.ts';
import { createScriptFile } from './script-file.ts';
import { createScriptTickets } from './script-tickets.ts';
import { createSiteKeys } from './site-keys.ts';

interface CollectorOptions extends Omit<TrapLinkOptions, 'store'> {
  /** Handles `POST /verify`: judges the uploads of challenge pages and of the browser script. */
  readonly verify: Collect;
  readonly bundle: Pick<BrowserBundle, 'script' | 'work'>;
  readonly organisations: readonly Organisation[];
  readonly sites: readonly Pick<Site, 'hosts' | 'organisation'>[];
  readonly termsOf: (organisation: string) => ChallengeTerms;
  readonly engine: Pick<Engine, 'store' | 'ids'> & {
    readonly sources: Pick<Engine['sources'], 'readAgent'>;
  };
}

/**
 * Calls the handler for the path of a request. It serves the collector's own listener, and the paths below `/.guard/`
 * of a site.
 */
export function createCollector(options: CollectorOptions): Collect {
  const { organisations, sites, engine } = options;
  const findTenant = createSiteKeys(organisations, sites);
  const answerers = new Map<string, (request: CollectRequest) => MaybePromise<CollectAnswer>>([
    ['/verify', options.verify],
    ['/echo', answerEchoPage],
    [TRAP_PATH, createTrapLinkAnswerer({ ...options, store: engine.store })],
    ['/witness', createWitnessAnswerer(createWitnesses(options.secrets), engine.store)],
    ['/script.js', createScriptFile(options.bundle.script, findTenant)],
    ['/work.js', createScriptFile(options.bundle.work)],
    [
      '/session',
      createOpenSession({
        findTenant,
        store: engine.store,
        ids: engine.ids,
        clock: options.clock,
        isCrawler: (userAgent) => engine.sources.readAgent(userAgent).crawler !== undefined,
        issueTicket: createScriptTickets(options),
      }),
    ],
  ]);
  return async (request) => (await answerers.get(request.path)?.(request)) ?? emptyAnswer(404);
}
