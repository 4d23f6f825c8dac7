import { gzipSync } from 'node:zlib';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { loadPage } from '../../build.ts';

/** The page and its files. They are read and compressed once. They have no data, so they need no sign-in. */
export function pageRoutes(): FastifyPluginAsync {
  const { html, assets } = loadPage();
  const page = packed('text/html; charset=utf-8', html);
  return (app) => {
    app.get('/', (request, reply) => {
      void reply.header('cache-control', 'no-cache');
      return answer(request, reply, page);
    });
    for (const [path, { type, body }] of assets) {
      const file = packed(type, body);
      app.get(path, (request, reply) => {
        // The path contains a hash of the content.
        void reply.header('cache-control', 'public, max-age=31536000, immutable');
        return answer(request, reply, file);
      });
    }
    return Promise.resolve();
  };
}

interface Packed {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

function packed(type: string, body: string): Packed {
  const plain = Buffer.from(body);
  return { type, plain, gzip: gzipSync(plain, { level: 9 }) };
}

function answer({ headers }: FastifyRequest, reply: FastifyReply, file: Packed): FastifyReply {
  const accepted = headers['accept-encoding']?.toString() ?? '';
  const isPacked = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted);
  if (isPacked) void reply.header('content-encoding', 'gzip');
  return reply
    .header('vary', 'Accept-Encoding')
    .type(file.type)
    .send(isPacked ? file.gzip : file.plain);
}
