import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { CatalogueCrawler } from '@guard/config/catalogue/crawlers';
import fastify from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { createDocsServer } from '../index.ts';

export interface SitePage {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The bytes of the answer as they were sent, compressed or not. */
  readonly bytes: Buffer;
  readonly text: string;
}

export interface TestSite {
  /** The request has only these header fields. fetch would add further fields. */
  readonly get: (
    path: string,
    headers?: Readonly<Record<string, string>>,
    method?: string,
  ) => Promise<SitePage>;
}

interface SiteOptions {
  readonly crawlers?: readonly CatalogueCrawler[];
  readonly publicUrl?: () => string;
  readonly clock?: () => number;
}

/** A crawler with the profile `/crawlers/example-bot`. */
export const EXAMPLE_BOT: CatalogueCrawler = {
  id: 'f1',
  name: 'Example Bot',
  category: 'Search Engine',
  rslCategory: 'search',
  operator: 'Example',
};

/** Starts the documentation host with one crawler on a free loopback port, for all tests of a file. */
export function useSite(options: SiteOptions = {}): TestSite {
  const app = fastify();
  let url = '';
  beforeAll(async () => {
    const defaults = { publicUrl: 'https://docs.example', crawlers: [EXAMPLE_BOT] };
    await app.register(createDocsServer({ ...defaults, ...options }));
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => app.close());
  return { get: (path, headers = {}, method = 'GET') => ask(url + path, headers, method) };
}

function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  method: string,
): Promise<SitePage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: response.headers, bytes, text: bytes.toString() });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
