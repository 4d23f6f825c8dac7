import { plainAnswer, type OwnAnswer } from '../../message/own-answer.ts';
import type { GatewayLimits } from '../../base/limits.ts';
import type { VisitorRequest } from '../../message/message.ts';
import { transportOfVisitor } from '../describe.ts';
import { inviteBody } from '../../message/expectation.ts';
import type { UploadsUnderWay } from './uploads-under-way.ts';
import type { Visit } from '../../arrive/visit.ts';

const ROOT = '/.guard';

/**
 * Paths that belong to Guard on every site, in any spelling that an origin might take for them: they
 * never reach it.
 */
export function isCollectorPath(readings: readonly string[]): boolean {
  return readings.some((path) => path === ROOT || path.startsWith(`${ROOT}/`));
}

/** Asks the collector of the site for the answer to a request below `/.guard/`. Pages of the site send their uploads there. */
export async function collect(
  visit: Visit,
  path: string,
  limits: GatewayLimits,
  uploads: UploadsUnderWay,
): Promise<OwnAnswer> {
  const { req, res, client, site, hasBody, target } = visit;
  const take = site.config.collect;
  if (take === undefined || !path.startsWith(`${ROOT}/`)) return plainAnswer(404, 'Not found.');

  if (hasBody) inviteBody(req, res);
  const upload = await readBody(req, limits, uploads);
  switch (upload.kind) {
    case 'too_large':
      return plainAnswer(413, 'The upload is too large.');
    case 'incomplete':
      return plainAnswer(408, 'The upload did not arrive.', 'Connection', 'close');
    case 'whole': {
      const { status, headers, body } = await take({
        method: req.method ?? '',
        path: path.slice(ROOT.length),
        query: target.slice(path.length + 1),
        headers: req.headers,
        body: upload.text,
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

type Upload =
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'incomplete' };

function readBody(
  req: VisitorRequest,
  { collectorBodyBytes, collectorBodyMs }: GatewayLimits,
  uploads: UploadsUnderWay,
): Promise<Upload> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const finish = (upload: Upload) => {
      clearTimeout(timer);
      req.off('data', take);
      uploads.end(giveUp);
      // The listeners on the request hold this list until the connection ends.
      parts.length = 0;
      resolve(upload);
    };
    const giveUp = () => finish({ kind: 'incomplete' });
    const take = (part: Buffer) => {
      bytes += part.length;
      if (bytes > collectorBodyBytes) {
        finish({ kind: 'too_large' });
        return;
      }
      parts.push(part);
      uploads.add(giveUp, part.length);
    };
    const timer = setTimeout(giveUp, collectorBodyMs);
    req.on('data', take);
    req.once('end', () => finish({ kind: 'whole', text: Buffer.concat(parts).toString() }));
    req.once('close', giveUp);
    if (req.readableEnded) finish({ kind: 'whole', text: '' });
  });
}
