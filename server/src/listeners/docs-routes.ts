import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { createDocsServer } from '@guard/mcp';
import type { FastifyPluginAsync } from 'fastify';

/**
 * The routes of the documentation. Empty when it does not listen, which does not change with reloads. The
 * pages are loaded only when needed, because they take time to read and memory to keep.
 */
export function docsRoutes(listens: boolean, publicUrl: () => string): FastifyPluginAsync {
  if (!listens) return () => Promise.resolve();
  return createDocsServer({ publicUrl, crawlers: CrawlerCatalogue.load().all() });
}
