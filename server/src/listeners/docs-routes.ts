import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { createDocsServer } from '@guard/mcp';
import type { FastifyPluginAsync } from 'fastify';

/** Creates the documentation, empty without a `docs` listener. Pages load on demand: they take time and memory. */
export function docsRoutes(hasListener: boolean, publicUrl: () => string): FastifyPluginAsync {
  if (!hasListener) return () => Promise.resolve();
  return createDocsServer({ publicUrl, crawlers: CrawlerCatalogue.load().all() });
}
