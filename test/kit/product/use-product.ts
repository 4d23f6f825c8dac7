import { afterAll, beforeAll } from 'vitest';
import { type RecordingOrigin, startRecordingOrigin } from '../origins/recording-origin.ts';
import { type Product, startProduct } from './start-product.ts';
import { productSettings } from './product-settings.ts';

/** A started product and its recording origin, for all tests of a file. Both fields are set before the first test. */
export interface Testbed {
  origin: RecordingOrigin;
  product: Product;
}

/** Starts a product and its origin before the tests of the calling file, and ends both after the last test. */
export function useProduct(changes: Parameters<typeof productSettings>[1] = {}): Testbed {
  const testbed = {} as Testbed; // empty until beforeAll has run, so no test sees it empty
  beforeAll(async () => {
    testbed.origin = await startRecordingOrigin();
    testbed.product = await startProduct(productSettings(testbed.origin.url, changes));
  });
  afterAll(async () => {
    await testbed.product.stop();
    await testbed.origin.close();
  });
  return testbed;
}
