import { expect, test } from 'vitest';
import { childrenOf } from '../kit/children.ts';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/sql.ts';
import { useProduct } from '../kit/use-product.ts';

const story = useProduct({ rules: [{ name: 'everybody', match: {}, verdict: 'allow' }] });

test('(f) with the analytics child killed by SIGKILL, requests go on, the child comes back, no event is lost', async () => {
  let sent = 0;
  const visit = async () => {
    const answer = await send(`${story.product.addresses.gateway}/steady?n=${sent}`);
    expect(answer.status).toBe(200);
    sent += 1;
  };
  const count = () =>
    rowsOf<{ seen: string; distinct: string }>(
      story.product,
      "SELECT count() AS seen, uniqExact(query) AS distinct FROM events_distributed WHERE path = '/steady'",
    ).then(
      ([row]) => ({ seen: Number(row?.seen), distinct: Number(row?.distinct) }),
      // While the engine is away the query is refused; that it is answered again is part of the test.
      () => ({ seen: -1, distinct: -1 }),
    );

  for (let i = 0; i < 100; i++) await visit();
  await poll(count, ({ seen }) => seen > 0);

  const [engine] = childrenOf(story.product.pid);
  expect(engine).toBeDefined();
  for (let i = 0; i < 50; i++) await visit();
  process.kill(engine ?? 0, 'SIGKILL');
  for (let i = 0; i < 200; i++) await visit();

  const counted = await poll(count, ({ distinct }) => distinct === sent);
  expect(counted).toEqual({ seen: sent, distinct: sent });
  const [restarted] = childrenOf(story.product.pid);
  expect(restarted).toBeDefined();
  expect(restarted).not.toBe(engine);
  const metrics = await send(`${story.product.addresses.admin}/metrics`);
  expect(metrics.body).toContain('guard_analytics_restarts_total 1');
});
