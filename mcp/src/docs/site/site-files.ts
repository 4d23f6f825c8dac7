import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { openApiDocument } from './openapi.ts';
import type { Page } from '../pages/page.ts';
import { keptResource, packedResource } from './resource.ts';
import type { Resource } from './resource.ts';
import { foreverHeaders, pictureHeaders, textHeaders } from './site-headers.ts';

const ASSETS = new URL('./assets/', import.meta.url);
const PICTURES = new URL('../../../../docs/guide/images/', import.meta.url);

/** A shared file of the site. Its path changes with its content. */
interface Asset {
  readonly path: string;
  readonly text: string;
}

export const stylesheet = loadAsset('style', 'css');
export const icon = loadAsset('icon', 'svg');
export const copyScript = loadAsset('copy', 'mjs');

/** All resources except pages: the files of contract 4.6, and the files that pages load. */
export function siteFiles(pages: readonly Page[]): Map<string, Resource> {
  return new Map([
    [stylesheet.path, keptResource(foreverHeaders('text/css'), () => stylesheet.text)],
    [copyScript.path, keptResource(foreverHeaders('text/javascript'), () => copyScript.text)],
    [icon.path, keptResource(foreverHeaders('image/svg+xml'), () => icon.text)],
    [
      '/openapi.json',
      keptResource(
        textHeaders('application/json'),
        () => `${JSON.stringify(openApiDocument(), undefined, 2)}\n`,
      ),
    ],
    [
      '/llms-full.txt',
      keptResource(textHeaders('text/plain'), () =>
        pages.map(({ markdown }) => markdown).join('\n'),
      ),
    ],
    ...Array.from(
      loadPictures(),
      ([path, png]) => [path, packedResource(pictureHeaders(), png)] as const,
    ),
  ]);
}

function loadAsset(name: string, extension: 'css' | 'mjs' | 'svg'): Asset {
  const text = readFileSync(new URL(`${name}.${extension}`, ASSETS), 'utf8');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `/assets/${name}-${digest}.${extension}`, text };
}

/** Returns the pictures of the pages by path, `/images/<name>.png`. They are read at the start. */
export function loadPictures(): Map<string, Buffer> {
  const names = readdirSync(PICTURES).filter((name) => /^[a-z0-9-]+\.png$/.test(name));
  return new Map(names.map((name) => [`/images/${name}`, readFileSync(new URL(name, PICTURES))]));
}
