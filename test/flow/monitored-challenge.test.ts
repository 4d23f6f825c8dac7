import { expect, test } from 'vitest';
import { launchDriven } from '../kit/driven-chromium.ts';
import { poll } from '../kit/http.ts';
import { rowsOf } from '../kit/sql.ts';
import { useProduct } from '../kit/use-product.ts';

const story = useProduct({
  rules: [{ name: 'watch', match: {}, detect: true, challenge: 'always', monitor: true }],
});

interface EventRow {
  readonly action: string;
  readonly decision: string;
  readonly monitor: boolean;
  readonly block_reason_categories: string[];
}

test('under monitor a headless browser walks through the challenge and arrives, and the event says block', async () => {
  const browser = await launchDriven();
  try {
    const page = await browser.newPage();
    const first = await page.goto(`${story.product.addresses.gateway}/walk`);
    expect(first?.status()).toBe(403);
    await page.getByText('The origin has answered').waitFor();
    expect(story.origin.arrivals.map(({ url }) => url)).toContain('/walk');

    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: '_guard', path: '/', sameSite: 'Lax', httpOnly: false });
    expect(cookie?.domain).toBe('127.0.0.1');
    expect(cookie?.expires).toBeGreaterThan(Date.now() / 1000 + 3600);

    const events = await poll(
      () =>
        rowsOf<EventRow>(
          story.product,
          "SELECT action, decision, monitor, block_reason_categories FROM events_distributed WHERE path = '/walk' ORDER BY created_at",
        ),
      (rows) => rows.length === 2,
    );
    expect(events).toMatchObject([
      { action: 'challenge', decision: 'block' },
      { action: 'allow', decision: 'block' },
    ]);
    for (const event of events) {
      expect(event.block_reason_categories).toContain('automated_browser');
    }
  } finally {
    await browser.close();
  }
});
