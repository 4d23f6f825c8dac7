import { readFileSync } from 'node:fs';
import { drawProduct, products } from './products.ts';

export interface Asset {
  readonly contentType: string;
  readonly body: string;
}

/** All files below /assets/ by path. The files are read once, and the pictures are drawn once. */
export function loadAssets(): ReadonlyMap<string, Asset> {
  const file = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
  return new Map<string, Asset>([
    ['/assets/shop.css', { contentType: 'text/css; charset=utf-8', body: file('shop.css') }],
    ['/assets/shop.mjs', { contentType: 'text/javascript; charset=utf-8', body: file('shop.mjs') }],
    ...products.map((product): [string, Asset] => [
      `/assets/${product.id}.svg`,
      { contentType: 'image/svg+xml', body: drawProduct(product) },
    ]),
  ]);
}
