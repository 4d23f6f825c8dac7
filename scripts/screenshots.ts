import { Branding } from '@guard/config/settings/sections/branding';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import {
  openScreen,
  SCREENS,
  startGallery,
  type Gallery,
} from '../validator/browser/testing/gallery.ts';
import { launchPlain } from '../test/kit/browsers/plain-chromium.ts';
import { compileLook } from '../validator/src/pages/look.ts';
import { shrinkPng } from './shrink-png.ts';

/**
 * Makes pictures for the documentation: every screen that visitors see, in light and dark colours, on desktop and
 * phone. `node scripts/screenshots.ts [folder]`. The default folder is docs/guide/images.
 */

const FOLDER = process.argv[2] ?? join(import.meta.dirname, '../docs/guide/images');
/** Maximum size of all pictures together in bytes. There is a limit because the pictures are part of the repository. */
const MAX_TOTAL_BYTES = 600_000;

const DEVICES = {
  desktop: { width: 640, height: 540 },
  phone: { width: 320, height: 640 },
} as const;

const browser = await launchPlain();
mkdirSync(FOLDER, { recursive: true });
const plain = await startGallery();
const brandedGallery = await startGallery(
  compileLook(
    Branding.parse({ name: 'Harbour Books', accent: '#0a7d4f', support: 'help@harbour.example' }),
  ),
);
try {
  for (const scheme of ['light', 'dark'] as const) {
    for (const device of ['desktop', 'phone'] as const) {
      for (const name of SCREENS) await shoot(browser, plain, { name, scheme, device });
    }
    await shoot(browser, brandedGallery, {
      name: 'failed',
      scheme,
      device: 'desktop',
      as: 'branded',
    });
    await shoot(browser, plain, {
      name: 'retry',
      scheme,
      device: 'phone',
      as: 'arabic',
      locale: 'ar',
    });
  }
} finally {
  await browser.close();
  for (const { server } of [plain, brandedGallery]) {
    server.closeAllConnections();
    server.close();
  }
}
const pictures = readdirSync(FOLDER).filter((file) => file.endsWith('.png'));
const total = pictures.reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0);
console.log(`${pictures.length} pictures, ${Math.round(total / 1000)} kB`);
if (total > MAX_TOTAL_BYTES) throw new Error(`more than ${MAX_TOTAL_BYTES} bytes of pictures`);

async function shoot(
  chromium: Browser,
  gallery: Gallery,
  picture: {
    readonly name: string;
    readonly scheme: 'light' | 'dark';
    readonly device: keyof typeof DEVICES;
    /** The name of the file, if it is not the name of the screen. */
    readonly as?: string;
    readonly locale?: string;
  },
): Promise<void> {
  const { name, scheme, device, as = name, locale = 'en' } = picture;
  const context = await chromium.newContext({
    viewport: DEVICES[device],
    colorScheme: scheme,
    locale,
    // Animations are switched off, because with an animation each picture would differ.
    reducedMotion: 'reduce',
    javaScriptEnabled: name !== 'noscript',
  });
  const page = await context.newPage();
  await openScreen(page, gallery, name);
  const png = await page.screenshot();
  writeFileSync(join(FOLDER, `${as}-${scheme}-${device}.png`), shrinkPng(png));
  await context.close();
}
