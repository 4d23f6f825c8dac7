import { onTestFinished, vi } from 'vitest';
import { main } from '../../../cli/src/main.ts';
import { startNginx } from '../peers/nginx-in-front.ts';
import type { Product } from './start-product.ts';
import { ANALYTICS_KEY } from './product-settings.ts';

/** An address of this machine that is not a trusted proxy. */
export const VISITOR_ADDRESS = '127.0.0.2';

interface CheckOutcome {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly advice: string;
}

export interface Diagnosis {
  readonly code: number;
  readonly outcomes: readonly CheckOutcome[];
  /** State and message of one check. */
  outcomeOf(check: string): string;
  /** The names of all checks that are in a state. */
  in(state: string): string[];
}

/**
 * With these arguments, `guard doctor` also reads the events of its own requests from Guard, and waits until these
 * events are written.
 */
export const WITH_KEY = ['--key', ANALYTICS_KEY];

/** Runs `guard doctor` for this URL of the product, and returns the result. */
export async function examine(
  product: Product,
  url: string,
  ...more: readonly string[]
): Promise<Diagnosis> {
  const { api, admin } = product.addresses;
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const args = ['doctor', url, '--json', '--api', api, '--admin', admin];
  try {
    const code = await main([...args, '--from', VISITOR_ADDRESS, ...more]);
    const text = stdout.mock.calls.map(([part]) => String(part)).join('');
    const { findings: outcomes } = JSON.parse(text) as { findings: CheckOutcome[] };
    return {
      code,
      outcomes,
      outcomeOf(check) {
        const outcome = outcomes.find((one) => one.check === check);
        return `${outcome?.state}: ${outcome?.found}`;
      },
      // This check is left out, because the age of the bundled lists depends on the day of the test.
      in: (state) =>
        outcomes
          .filter((one) => one.state === state && one.check !== 'lists')
          .map(({ check }) => check),
    };
  } finally {
    stdout.mockRestore();
  }
}

/** Runs `guard doctor` for a Guard behind an nginx with these lines, and returns the result. */
export async function examineBehindNginx(
  product: Product,
  lines: readonly string[],
  {
    server: serverLines = [],
    args = [],
  }: { readonly server?: readonly string[]; readonly args?: readonly string[] } = {},
): Promise<Diagnosis> {
  const nginx = await startNginx(product.addresses.gateway, { lines, server: serverLines });
  onTestFinished(() => nginx.close());
  return examine(product, `${nginx.url}/shelf`, ...args);
}
