import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/kit/test-folder.ts';
import { plainAnalyticsKeys } from './plain-keys.ts';

test('plainAnalyticsKeys finds the analytics key that guard init writes into guard.env', () => {
  const file = join(testFolder(), 'guard.yaml');
  const organisation = "{ id: me, analytics_keys: [{ id: me, key: '${ANALYTICS_KEY}' }] }";
  writeFileSync(file, `organisations: [${organisation}]\n`);
  expect(plainAnalyticsKeys(file, {})).toEqual([]);
  writeFileSync(file.replace('.yaml', '.env'), 'ANALYTICS_KEY=sk_api_ro_1\n', { mode: 0o600 });
  expect(plainAnalyticsKeys(file, {})).toEqual([{ organisation: 'me', key: 'sk_api_ro_1' }]);
});
