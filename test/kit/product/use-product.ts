import { afterAll, beforeAll } from 'vitest';
import { type RecordingOrigin, startRecordingOrigin } from '../origins/recording-origin.ts';
import { type Product, startProduct } from './start-product.ts';
import { storySettings } from './story-settings.ts';

/** A started product and its recording origin, for all tests of a file. Both fields are set before the first test. */
export interface Story {
  origin: RecordingOrigin;
  product: Product;
}

/** Starts a product and its origin before the tests of the calling file, and ends both after the last test. */
export function useProduct(changes: Parameters<typeof storySettings>[1] = {}): Story {
  const story = {} as Story; // empty until beforeAll has run, so no test sees it empty
  beforeAll(async () => {
    story.origin = await startRecordingOrigin();
    story.product = await startProduct(storySettings(story.origin.url, changes));
  });
  afterAll(async () => {
    await story.product.stop();
    await story.origin.close();
  });
  return story;
}
