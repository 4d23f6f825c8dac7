import type { Product } from './start-product.ts';
import { send } from './http.ts';
import { ANALYTICS_KEY } from './story-settings.ts';

/** The rows of one statement over `POST /query`, in JSON. */
export async function rowsOf<T>(product: Product, statement: string): Promise<T[]> {
  const answer = await send(`${product.addresses.api}/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ANALYTICS_KEY}`, 'content-type': 'text/plain' },
    body: `${statement} FORMAT JSONEachRow`,
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
  return answer.body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}
