import { startShop } from '@guard/example-shop';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoKeys } from './keys.ts';
import { type Places, placesEnvironment } from './places.ts';
import { type StartFacts, welcomeText } from './welcome.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CONFIG = join(ROOT, 'examples/shop/guard.yaml');

interface Demo {
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
  /** The text for the terminal when all services listen. */
  welcome(facts: StartFacts): string;
  close(): Promise<void>;
}

export async function openDemo(places: Places): Promise<Demo> {
  const data = dataFolder();
  const { keys, file } = await demoKeys(data);
  const shop = await startShop();
  return {
    config: CONFIG,
    env: { ...keys, ...placesEnvironment(places), DEMO_ORIGIN: shop.url, DEMO_DATA: data },
    welcome: (facts) => welcomeText({ ...facts, keys, file, shop: shop.url, host: places.host }),
    close: () => shop.close(),
  };
}

/**
 * The folder for the data of the demo. With DEMO_DATA, two demos can run. In a checkout the data is beside the code. In
 * an installation it is not: the installation can belong to root, and an update removes its content.
 */
function dataFolder(): string {
  const { DEMO_DATA } = process.env;
  if (DEMO_DATA) return resolve(DEMO_DATA);
  if (!/[\\/]node_modules[\\/]/.test(ROOT)) return join(ROOT, 'data/demo');
  return join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'guard/demo');
}
