import { gzipSync } from 'node:zlib';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { loadPage } from '../../build.ts';

/**
 * Serves the page and its files, which are read and compressed once. They contain no events, so they need no sign-in.
 */
export function pageRoutes(): FastifyPluginAsync {
  const { html, assets } = loadPage();
  const page = packFile('text/html; charset=utf-8', html);
  return (app) => {
    app.get('/', (request, reply) => {
      void reply.header('cache-control', 'no-cache');
      return sendFile(request, reply, page);
    });
    for (const [path, { type, body }] of assets) {
      const file = packFile(type, body);
      app.get(path, (request, reply) => {
        // The path contains a hash of the content.
        void reply.header('cache-control', 'public, max-age=31536000, immutable');
        return sendFile(request, reply, file);
      });
    }
    return Promise.resolve();
  };
}

interface PackedFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

function packFile(type: string, body: string): PackedFile {
  const plain = Buffer.from(body);
  return { type, plain, gzip: gzipSync(plain, { level: 9 }) };
}

function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: PackedFile,
): FastifyReply {
  const acceptEncoding = headers['accept-encoding']?.toString() ?? '';
  const isPacked = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(acceptEncoding);
  if (isPacked) void reply.header('content-encoding', 'gzip');
  return reply
    .header('vary', 'Accept-Encoding')
    .type(file.type)
    .send(isPacked ? file.gzip : file.plain);
}
