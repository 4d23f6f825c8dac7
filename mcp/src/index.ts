import { MCP } from '@guard/config/contract/limits';
import type { CatalogueCrawler } from '@guard/config/catalogue/crawlers';
import type {
  AuthenticateBearer,
  Clock,
  ListColumns,
  QueryCaller,
  RunQuery,
} from '@guard/config/contract/ports';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { DATA_INSTRUCTIONS, DOCS_INSTRUCTIONS } from './tools/instructions.ts';
import { createListColumnsTool } from './tools/list-columns-tool.ts';
import { queryHelpTool } from './tools/query-help-tool.ts';
import { createQueryTool } from './tools/query-tool.ts';
import { crawlerPages } from './docs/pages/crawler-pages.ts';
import { createGetPageTool } from './tools/get-page-tool.ts';
import { Library } from './docs/pages/library.ts';
import { loadPages } from './docs/pages/load-pages.ts';
import { reasonPages } from './docs/pages/reason-pages.ts';
import { createSearchDocsTool } from './tools/search-docs-tool.ts';
import { SearchIndex } from './docs/search/search-index.ts';
import { createSite, type Site } from './docs/site/site.ts';
import { AddressBudget } from './edge/address-budget.ts';
import { mountEndpoint } from './edge/endpoint.ts';
import { answerWithSdk } from './edge/answer-with-sdk.ts';

/**
 * Contract 4.4: the plugin for `POST /mcp` on the API host. Every request needs an analytics key. The plugin changes
 * only its own scope.
 */
export function createDataServer(options: {
  readonly runQuery: RunQuery;
  readonly listColumns: ListColumns;
  readonly authenticate: AuthenticateBearer;
}): FastifyPluginAsync {
  const ask = answerWithSdk<QueryCaller>({
    info: { name: 'guard-analytics', version: '1' },
    instructions: DATA_INSTRUCTIONS,
    answersPing: false,
    tools: [
      createQueryTool(options.runQuery),
      queryHelpTool,
      createListColumnsTool(options.listColumns),
    ],
  });
  return (app) => {
    mountEndpoint<QueryCaller>(app, {
      maxBodyBytes: MCP.dataMaxBodyBytes,
      admit: (authorization) => {
        const organisation = options.authenticate(authorization)?.organisation;
        return organisation === undefined ? undefined : { organisation, authorization };
      },
      ask,
    });
    return Promise.resolve();
  };
}

/**
 * Contract 4.5 and 4.6: the public documentation host, with `POST /mcp` and the site at all other paths.
 *
 * `publicUrl` is the URL of the host for readers, without a path. It is a function when the URL is known only after the
 * server listens. `crawlers` adds one profile page for each crawler below `/crawlers/`, and a page that lists them.
 */
export function createDocsServer(options: {
  readonly publicUrl: string | (() => string);
  readonly crawlers?: readonly CatalogueCrawler[];
  readonly clock?: Clock;
}): FastifyPluginAsync {
  const { publicUrl: publicUrlOption, crawlers = [], clock = Date.now } = options;
  const publicUrl = () =>
    (typeof publicUrlOption === 'string' ? publicUrlOption : publicUrlOption()).replace(/\/+$/, '');
  const library = new Library([...loadPages(), ...reasonPages(), ...crawlerPages(crawlers)]);
  const index = new SearchIndex(library.pages);
  const ask = answerWithSdk<'anyone'>({
    info: { name: 'guard-docs', version: '1' },
    instructions: DOCS_INSTRUCTIONS,
    answersPing: true,
    tools: [createSearchDocsTool(index, publicUrl), createGetPageTool(library)],
  });
  const budget = new AddressBudget({ ...MCP.docsRequestsPerAddress, clock });
  const site = createSite(library, index, publicUrl);

  return async (app) => {
    await app.register((scope) => {
      mountEndpoint<'anyone'>(scope, {
        maxBodyBytes: MCP.docsMaxBodyBytes,
        admit: () => 'anyone',
        ownHost: () => URL.parse(publicUrl())?.host,
        budget,
        ask,
      });
      return Promise.resolve();
    });
    mountSite(app, site, budget);
  };
}

/**
 * Serves the site for GET and HEAD at every path without another route. A search takes one request from the budget of
 * its address. Pages take no request from it, because many readers can share the address of one proxy.
 */
function mountSite(app: FastifyInstance, site: Site, budget: AddressBudget): void {
  app.get('/*', (request, reply) => {
    const [path = '/', query = ''] = request.url.split(/\?(.*)/s, 2);
    const {
      accept,
      'accept-encoding': acceptEncoding,
      'if-none-match': ifNoneMatch,
    } = request.headers;
    const { status, headers, body } = site({
      path,
      query,
      accept,
      // Node joins repeated fields of this name into a string, but its types say otherwise.
      acceptEncoding: typeof acceptEncoding === 'string' ? acceptEncoding : undefined,
      ifNoneMatch,
      takeSearch: () => budget.take(request.ip),
    });
    return reply.code(status).headers(headers).send(body);
  });
}
