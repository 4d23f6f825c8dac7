import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { createDocsServer } from '@guard/mcp';
import type { FastifyPluginAsync } from 'fastify';

/**
 * Creates the routes of the documentation. Without a `docs` listener there are none. The pages are loaded only when
 * they are needed, because they take time and memory.
 */
export function docsRoutes(hasListener: boolean, publicUrl: () => string): FastifyPluginAsync {
  if (!hasListener) return () => Promise.resolve();
  return createDocsServer({ publicUrl, crawlers: CrawlerCatalogue.load().all() });
}
