import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { createDocsServer } from '@guard/mcp';
import type { FastifyPluginAsync } from 'fastify';

/** The documentation, empty without a `docs` listener. Loads the pages on demand, as they take time and memory. */
export function docsRoutes(listens: boolean, publicUrl: () => string): FastifyPluginAsync {
  if (!listens) return () => Promise.resolve();
  return createDocsServer({ publicUrl, crawlers: CrawlerCatalogue.load().all() });
}
