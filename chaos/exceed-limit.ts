import { send } from '../test/kit/http.ts';
import { curl } from '../test/kit/visitors.ts';
import { FEW } from './settings.ts';

/** How an address fares that asks for three times what it may. */
export interface Exceeded {
  readonly admitted: number;
  readonly asked: number;
  /** The longest it was told to wait. */
  readonly retryAfterS: number;
}

/** Asks below /few/ from one address, one request after the other, as a script that waits for nothing. */
export async function exceed(gateway: string, ip: string): Promise<Exceeded> {
  const asked = 3 * FEW;
  let [admitted, retryAfterS] = [0, 0];
  for (let i = 0; i < asked; i++) {
    const headers = { ...curl, 'x-forwarded-for': ip };
    const answer = await send(`${gateway}/few/${i}`, { headers });
    if (answer.status === 200) admitted += 1;
    retryAfterS = Math.max(retryAfterS, Number(answer.headers['retry-after'] ?? 0));
  }
  return { admitted, asked, retryAfterS };
}
