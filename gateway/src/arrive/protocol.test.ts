import type { Validate, ValidateContext } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { startForwardAuth } from '../testing/forward-auth-rig.ts';
import { certificates, FRONTS, visit } from '../testing/fronts.ts';
import { type RigOptions, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { RawClient } from '../testing/raw-client.ts';

const EXPECTED_PROTOCOLS = {
  'HTTP/1.1': 'HTTP/1.1',
  'HTTP/1.1 over TLS': 'HTTP/1.1',
  'HTTP/2': 'HTTP/2.0',
};

/** A validator that allows everything, and the context of each question. */
function recordContexts(): { readonly contexts: ValidateContext[]; readonly validate: Validate } {
  const contexts: ValidateContext[] = [];
  return {
    contexts,
    validate: (_request, context) => {
      contexts.push(context);
      return { kind: 'answered', response: { success: true, decision: 'allow' } };
    },
  };
}

async function setUp(options: Partial<RigOptions> = {}) {
  const { contexts, validate } = recordContexts();
  const rig = await startGatewayWithOrigin({ certificates, validate, ...options });
  return { rig, contexts };
}

describe('contract 2.7: an event has the HTTP version of the visitor’s request', () => {
  test.each(FRONTS)('%s', async (front) => {
    const { rig, contexts } = await setUp();
    await visit(front, rig).untilHead();
    expect(contexts).toMatchObject([{ protocol: EXPECTED_PROTOCOLS[front], seesAnswer: true }]);
  });

  test.each(['HTTP/1.0', 'HTTP/1.1'])(
    '%s is the version of repeated GETs and of a POST',
    async (version) => {
      const { rig, contexts } = await setUp();
      for (const start of ['GET /a', 'GET /b', 'POST /c']) {
        const client = new RawClient(rig.port);
        client.send(`${start} ${version}`, 'Host: shop.example', 'Content-Length: 0', '', '');
        await client.until(/hello/);
      }
      expect(contexts.map(({ protocol }) => protocol)).toEqual([version, version, version]);
    },
  );

  test('the version is empty with forward-auth, where the other proxy answers the visitor', async () => {
    const { contexts, validate } = recordContexts();
    const { forwardAuthUrl } = await startForwardAuth({ validate });
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'x-original-url': 'https://shop.example/',
      'x-original-method': 'GET',
    };
    expect((await fetch(`${forwardAuthUrl}/check/nginx`, { headers })).status).toBe(204);
    expect(contexts).toHaveLength(1);
    expect(contexts[0]).not.toHaveProperty('protocol');
    expect(contexts[0]).not.toHaveProperty('seesAnswer');
  });

  test('the event of a failure has the version too', async () => {
    const { rig } = await setUp({
      validate: () => ({ kind: 'failed', reason: 'timeout', detail: '' }),
    });
    await visit('HTTP/2', rig).untilHead();
    expect(rig.events.map(({ protocol }) => protocol)).toEqual(['HTTP/2.0']);
  });
});
