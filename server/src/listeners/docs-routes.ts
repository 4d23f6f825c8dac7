import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { createDocsServer } from '@guard/mcp';
import type { FastifyPluginAsync } from 'fastify';

/**
 * The routes of the documentation. Empty when no `docs` listener exists, which a reload does not change. The pages are
 * loaded on demand, because they take time and memory.
 */
export function docsRoutes(listens: boolean, publicUrl: () => string): FastifyPluginAsync {
  if (!listens) return () => Promise.resolve();
  return createDocsServer({ publicUrl, crawlers: CrawlerCatalogue.load().all() });
}
