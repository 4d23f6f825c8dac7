import { startShop } from '@guard/example-shop';
import { fileURLToPath } from 'node:url';
import type { Service } from '@guard/config/settings/schema';
import { demoKeys } from './keys.ts';
import { welcome } from './welcome.ts';

const CONFIG = fileURLToPath(new URL('../../../examples/shop/guard.yaml', import.meta.url));
const DATA = fileURLToPath(new URL('../../../data/demo', import.meta.url));

export interface Demo {
  /** The settings file to start. */
  readonly config: string;
  /** The values of the ${NAME}s in the file. */
  readonly env: Readonly<Record<string, string>>;
  /** The text for the terminal when all services listen. */
  welcome(addresses: Readonly<Partial<Record<Service, string>>>, dashboard: string): string;
  close(): Promise<void>;
}

/** Starts the demo's origin and gets its keys. */
export async function openDemo(): Promise<Demo> {
  const { keys, file } = await demoKeys(DATA);
  const shop = await startShop();
  return {
    config: CONFIG,
    env: { ...keys, DEMO_ORIGIN: shop.url },
    welcome: (addresses, dashboard) =>
      welcome({ addresses, keys, file, shop: shop.url, dashboard }),
    close: () => shop.close(),
  };
}
