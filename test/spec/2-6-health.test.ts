import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HEALTH_TOKEN, KEY, serveValidator } from './serve-validator.ts';

const SETTINGS = {
  organisation: { secret_keys: [{ id: 'monitor', key: KEY, health: true }] },
};
const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

describe.each(['validator', 'collector'] as const)('2.6 and 4.2 GET /health of the %s', (host) => {
  async function health(headers: Readonly<Record<string, string>>) {
    const { url, collectorUrl } = await serveValidator(SETTINGS);
    return fetch(`${host === 'validator' ? url : collectorUrl}/health`, { headers });
  }

  test('"status: always ok when healthy", application/json', async () => {
    const response = await health({ 'x-api-key': KEY });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  test('"guard_stack_version: present only with internal health authorization"', async () => {
    const response = await health({ 'x-health-check-token': HEALTH_TOKEN });
    expect(await response.json()).toEqual({ status: 'ok', guard_stack_version: version });
  });

  test('a request with a wrong token and a good key is that of a customer', async () => {
    const response = await health({ 'x-health-check-token': 'wrong', 'x-api-key': KEY });
    expect(await response.json()).toEqual({ status: 'ok' });
  });
});
