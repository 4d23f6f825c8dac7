import { expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { certificates, FRONTS, wholeVisit } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { startOrigin } from '../testing/recording-origin.ts';

/** Names with a special meaning for Node, JavaScript or Guard. */
const NAMES = [
  'set-cookie cookie cookie2 __proto__ constructor tostring hasownproperty age',
  'authorization date etag expires from if-modified-since last-modified location',
  'max-forwards proxy-authorization referer retry-after server user-agent forwarded',
  'x-forwarded-for sec-fetch-dest signature-input range x-guard-decision',
].flatMap((line) => line.split(' '));

test.each(FRONTS)(
  'contract 7.1: no header field makes a request pass unjudged, over %s',
  async (front) => {
    const origin = await startOrigin((_req, res) => res.end('reached'));
    const guard = validatorWith('[{ name: shut, match: {}, verdict: block }]');
    const validate = guard.validator.forOrganisation('acme');
    // The plain lane reads only requests that keep their connection. HTTP/2 has no such field.
    const connectionField = front === 'HTTP/2' ? {} : { connection: 'keep-alive' };
    const rig = await startGateway({ origin: origin.address, certificates, validate });
    for (const method of ['GET', 'POST']) {
      for (const name of NAMES) {
        for (const value of ['a', '']) {
          const headers = { ...connectionField, [name]: value };
          const { status } = await wholeVisit(front, rig, { method, headers });
          expect(status, `${method} ${name}: ${value}`).toBe(403);
        }
      }
    }
  },
);
