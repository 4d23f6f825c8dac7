import { expect, test } from 'vitest';
import { send } from '../kit/http.ts';
import { startRecordingOrigin } from '../kit/recording-origin.ts';
import { startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';
import { chromeHttp, inOrderOf } from '../kit/visitors.ts';

const RULES = [{ name: 'everybody', match: {}, detect: true, challenge: 'auto' }];

test('an origin that fails is spared: 20 visitors see that, the next ones pass the challenge first, elsewhere none does', async () => {
  const origin = await startRecordingOrigin();
  const product = await startProduct(storySettings(origin.url, { rules: RULES }));
  await origin.close();
  const ask = async (path: string, visitor: number) => {
    const headers = {
      ...inOrderOf(visitor, chromeHttp),
      'x-forwarded-for': `84.115.${visitor}.7`,
    };
    return (await send(`${product.addresses.gateway}${path}`, { headers })).status;
  };
  try {
    const found: number[] = [];
    for (let visitor = 0; visitor < 40; visitor++) found.push(await ask('/shop/a', visitor));
    expect(found.filter((status) => status === 502).length).toBeLessThan(35);
    expect(new Set(found)).toEqual(new Set([502, 403]));
    expect(found.at(-1)).toBe(403);
    expect(await ask('/about', 50)).toBe(502);
  } finally {
    await product.stop();
  }
});
