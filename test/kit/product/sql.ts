import type { Product } from './start-product.ts';
import { poll, send } from '../http.ts';
import { ANALYTICS_KEY } from './product-settings.ts';

/** The time limit is long, because Guard serves requests before the database has started. */
const FIRST_START = 'The analytics database is starting.';

/** Returns the rows of one statement over `POST /query`, read from JSON. Waits for the first start of the database. */
export async function rowsOf<T>(product: Product, statement: string): Promise<T[]> {
  const ask = () =>
    send(`${product.addresses.api}/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ANALYTICS_KEY}`, 'content-type': 'text/plain' },
      body: `${statement} FORMAT JSONEachRow`,
    });
  const isStarted = ({ body }: { readonly body: string }) => !body.includes(FIRST_START);
  const answer = await poll(ask, isStarted);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
  return answer.body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}
