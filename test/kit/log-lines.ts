import { poll } from './http.ts';
import type { Product } from './start-product.ts';

/** The lines that the product has logged under a name, with a text in them. */
export function logged(product: Product, event: string, part = ''): string[] {
  return product
    .log()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`) && line.includes(part));
}

/** The same, once there is one. */
export function untilLogged(product: Product, event: string, part = ''): Promise<string[]> {
  return poll(
    () => Promise.resolve(logged(product, event, part)),
    (lines) => lines.length > 0,
  );
}
