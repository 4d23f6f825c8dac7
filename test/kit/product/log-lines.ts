import { poll } from '../http.ts';
import type { Product } from './start-product.ts';

/** The log lines of an event that contain a text. */
export function logLinesOf(product: Product, event: string, part = ''): string[] {
  return product
    .log()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`) && line.includes(part));
}

/** Waits until the log has at least one line of the event with the text, and returns all such lines. */
export function untilLogged(product: Product, event: string, part = ''): Promise<string[]> {
  return poll(
    () => Promise.resolve(logLinesOf(product, event, part)),
    (lines) => lines.length > 0,
  );
}
