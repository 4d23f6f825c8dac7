import { Readable } from 'node:stream';
import { readUpload, UploadsUnderWay } from '@guard/gateway';
import { errorCodes, type FastifyInstance } from 'fastify';

/** Maximum memory of all incomplete bodies of a service. Above it, the oldest body gets 408. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Bounds the memory of bodies before fastify's parsers read them. Fastify keeps each part of a body, so a body in
 * chunks of one byte takes 50 times its length.
 *
 * @param maxMs the time for a whole body, in milliseconds
 */
export function boundBodies(app: FastifyInstance, maxMs: number, maxBytes = MAX_BYTES): void {
  const uploads = new UploadsUnderWay(maxBytes);
  app.addHook('preParsing', async (request, reply, payload) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const maxLength = request.routeOptions.bodyLimit;
    if (length === undefined && coding === undefined) return payload;
    if (Number(length) > maxLength) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    const upload = await readUpload(request.raw, {
      hasBody: true,
      maxBytes: maxLength,
      maxMs,
      uploads,
    });
    switch (upload.kind) {
      case 'whole':
        return Readable.from(upload.bytes, { objectMode: false });
      case 'too_large':
        throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
      case 'incomplete':
        return reply.code(408).header('connection', 'close').send();
    }
  });
}
