import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SCREENS } from './testing/gallery.ts';

const CONTENT = new URL('../../docs/guide/', import.meta.url);
const page = readFileSync(new URL('challenge.md', CONTENT), 'utf8');

test.each(SCREENS)(
  'the documentation has pictures of the %s screen in light and dark, on desktop and phone',
  (name) => {
    for (const scheme of ['light', 'dark']) {
      for (const device of ['desktop', 'phone']) {
        const picture = `images/${name}-${scheme}-${device}.png`;
        expect(page).toContain(`](${picture})`);
        expect(readFileSync(new URL(picture, CONTENT)).subarray(1, 4).toString()).toBe('PNG');
      }
    }
  },
);
