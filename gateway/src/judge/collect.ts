import type { Visit } from '../arrive/arrive.ts';
import { COLLECTOR_ROOT } from '../arrive/sites.ts';
import type { GatewayLimits } from '../base/limits.ts';
import { transportOfVisitor } from './judge.ts';
import { inviteBody } from '../message/message.ts';
import { type OwnAnswer, plainAnswer } from '../message/own-answer.ts';
import { readUpload, type UploadsUnderWay } from '../message/upload.ts';

/**
 * Asks the collector of the site for the answer to a request below `/.guard/`. Challenge pages and the browser script
 * send their uploads to these paths.
 */
export async function collect(
  visit: Visit,
  path: string,
  limits: GatewayLimits,
  uploads: UploadsUnderWay,
): Promise<OwnAnswer> {
  const { req, res, client, site, hasBody, target } = visit;
  const collector = site.config.collect;
  if (collector === undefined || !path.startsWith(`${COLLECTOR_ROOT}/`))
    return plainAnswer(404, 'Not found.');

  if (hasBody) inviteBody(req, res);
  const { collectorBodyBytes: maxBytes, collectorBodyMs: maxMs } = limits;
  const upload = await readUpload(req, { hasBody, maxBytes, maxMs, uploads });
  switch (upload.kind) {
    case 'too_large':
      return plainAnswer(413, 'The upload is too large.');
    case 'incomplete':
      return plainAnswer(408, 'The upload did not arrive.', 'Connection', 'close');
    case 'whole': {
      const { status, headers, body } = await collector({
        method: req.method ?? '',
        path: path.slice(COLLECTOR_ROOT.length),
        query: target.slice(path.length + 1),
        headers: req.headers,
        body: upload.bytes.toString('utf8'),
        ip: client.ip,
        connection: {
          scheme: client.scheme,
          ipFrom: client.from,
          transport: transportOfVisitor(visit),
        },
      });
      return { status, fields: Object.entries(headers).flat(), body: Buffer.from(body) };
    }
  }
}
