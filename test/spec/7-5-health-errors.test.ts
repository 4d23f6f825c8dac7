import { describe, expect, test } from 'vitest';
import { HEALTH_TOKEN, KEY, serveValidator } from './serve-validator.ts';

const NOT_READY = {
  isReady: () => false,
  organisation: { secret_keys: [{ id: 'monitor', key: KEY, health: true }] },
};

describe.each(['validator', 'collector'] as const)('7.5 GET /health of the %s', (host) => {
  async function health(headers: Readonly<Record<string, string>>) {
    const { url, collectorUrl } = await serveValidator(NOT_READY);
    const response = await fetch(`${host === 'validator' ? url : collectorUrl}/health`, {
      headers,
    });
    return [response.status, await response.text()];
  }

  test.each([
    ['a customer', { 'x-api-key': KEY }],
    ['internal monitoring', { 'x-health-check-token': HEALTH_TOKEN }],
  ])('"503 empty body when authorized but not ready": %s', async (_who, headers) => {
    expect(await health(headers)).toEqual([503, '']);
  });

  test.each([
    ['no credentials', {}],
    ['a wrong key', { 'x-api-key': 'sk_wrong_wrong_wrong' }],
    ['a wrong token', { 'x-health-check-token': 'wrong' }],
    ['empty credentials', { 'x-api-key': '', 'x-health-check-token': '' }],
  ])(
    '"403 empty body when authorization fails", also when not ready: %s',
    async (_who, headers) => {
      expect(await health(headers)).toEqual([403, '']);
    },
  );
});
