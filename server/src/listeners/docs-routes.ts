import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { createDocsServer } from '@guard/mcp';
import type { FastifyPluginAsync } from 'fastify';

/**
 * The routes of the documentation; none where it does not listen, which stays so over all reloads. Its pages are much
 * to read and to keep.
 */
export function docsRoutes(listens: boolean, publicUrl: () => string): FastifyPluginAsync {
  if (!listens) return () => Promise.resolve();
  return createDocsServer({ publicUrl, crawlers: CrawlerCatalogue.load().all() });
}
