import { sessionDigest } from '@guard/config/contract/session-digest';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { curl, visit } from '../../../test/kit/visitors/visitors.ts';

const DETECT = '[{ name: r, match: {}, detect: true }]';

describe('the event (contract 2.7)', () => {
  test('contains the request, the concluded verdict and the enforced action', async () => {
    const { ask, events } = validatorWith(DETECT);
    const headers = { ...curl, referer: 'https://search.example/find?q=private' };
    const answer = await ask(visit({ url: 'https://shop.example/a?b=c', headers }));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      requestId: answer.request_id,
      organisation: 'acme',
      site: 'shop.example',
      action: 'challenge',
      decision: 'challenge',
      response: 'redirect',
      statusCode: 403,
      rule: 'r',
      blockReasons: ['http_client_user_agent'],
      blockReasonCategories: ['bot_identity'],
      method: 'GET',
      scheme: 'https',
      protocol: 'HTTP/1.1',
      host: 'shop.example',
      path: '/a',
      query: 'b=c',
      referrerOrigin: 'https://search.example',
      country: 'AT',
      session: sessionDigest(answer.cookies?.[0]?.value ?? ''),
      sessionSent: '',
      asnName: 'T-Mobile Austria GmbH',
      settingsRevision: 'f00',
      validator: 'in-process',
    });
  });

  test('contains both the session that came with the request and the issued session', async () => {
    const { ask, events } = validatorWith('[]');
    const first = await ask(visit({}));
    const issued = first.cookies?.[0]?.value ?? '';
    const invented = '6b1f0d9c-2e7a-4835-8c5d-1e9f70a2b4c6';
    for (const cookie of [
      issued,
      issued.toUpperCase(),
      invented,
      invented.toUpperCase(),
      'no id',
    ]) {
      await ask(visit({ cookie }));
    }
    const [issuedDigest = '', inventedDigest] = [issued, invented].map(sessionDigest);
    const sentDigests = events.map(({ sessionSent }) => sessionSent);
    expect(sentDigests).toEqual([
      '',
      issuedDigest,
      issuedDigest,
      inventedDigest,
      inventedDigest,
      '',
    ]);
    expect(events.map(({ session }) => session).slice(0, 3)).toEqual([
      issuedDigest,
      issuedDigest,
      issuedDigest,
    ]);
    expect(events.map(({ session }) => session).slice(3)).not.toContain(inventedDigest);
  });
});
