import { findProduct, formatPrice, products } from './products.ts';
import type { Product } from './products.ts';
import { countItems } from './visitors.ts';
import type { Visitor } from './visitors.ts';

/**
 * Guard's browser script, which the gateway serves on every site. When there is no gateway, the request gets a harmless
 * 404.
 */
const GUARD_SCRIPT = '/.guard/script.js?site_key=site_demo';

export function homePage(visitor: Visitor | undefined): string {
  const cards = products.map(
    ({ id, name, note, price }) => `<li class="card"><a href="/product/${id}">
<img src="/assets/${id}.svg" alt="" width="200" height="200">
<h2>${name}</h2><p>${note}</p><p class="price">${formatPrice(price)}</p></a></li>`,
  );
  return layout(
    'Stoneware for every day',
    `<section class="hero"><h1>Stoneware for every day</h1>
<p>Thrown by hand, fired twice, made to be used.</p></section>
<ul class="grid">${cards.join('\n')}</ul>`,
    visitor,
  );
}

export function productPage(
  { id, name, note, price }: Product,
  visitor: Visitor | undefined,
): string {
  return layout(
    name,
    `<article class="product"><img src="/assets/${id}.svg" alt="" width="320" height="320">
<div><h1>${name}</h1><p>${note}</p><p class="price">${formatPrice(price)}</p>
<form method="post" action="/cart"><input type="hidden" name="product" value="${id}">
<button>Add to cart</button></form></div></article>`,
    visitor,
  );
}

export function loginPage(visitor: Visitor | undefined, problem?: string): string {
  const alert = problem === undefined ? '' : `<p class="alert" role="alert">${problem}</p>`;
  return layout(
    'Log in',
    `<form class="panel" method="post" action="/login"><h1>Log in</h1>${alert}
<label>Name <input name="username" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in</button><p class="hint">This is a demo: <code>demo</code> and <code>demo</code>.</p></form>`,
    visitor,
  );
}

export function cartPage(visitor: Visitor | undefined): string {
  const lines = [...(visitor?.cart ?? [])].flatMap(([id, quantity]) => {
    const product = findProduct(id);
    return product === undefined ? [] : [{ product, quantity }];
  });
  const total = lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
  const rows = lines.map(
    ({ product, quantity }) =>
      `<tr><td>${product.name}</td><td>${quantity}</td><td>${formatPrice(product.price * quantity)}</td></tr>`,
  );
  const table = `<table><thead><tr><th>Piece</th><th>Quantity</th><th>Price</th></tr></thead>
<tbody>${rows.join('')}</tbody><tfoot><tr><th colspan="2">Total</th><th>${formatPrice(total)}</th></tr></tfoot></table>`;
  return layout(
    'Cart',
    `<h1>Cart</h1>${lines.length === 0 ? '<p>Nothing in it yet.</p>' : table}`,
    visitor,
  );
}

export function uploadPage(visitor: Visitor | undefined): string {
  return layout(
    'Upload',
    `<form class="panel" method="post" action="/upload" enctype="multipart/form-data"><h1>Upload</h1>
<p>Send a picture of a broken piece. It is counted, and not kept.</p>
<label>File <input type="file" name="file" required></label><button>Send</button></form>`,
    visitor,
  );
}

/** `headers` has the names and values of the request's header fields. The page shows them. */
export function whoamiPage(
  headers: readonly (readonly [string, string])[],
  visitor: Visitor | undefined,
): string {
  const rows = headers.map(
    ([name, value]) =>
      `<tr><td><code>${escape(name)}</code></td><td><code>${escape(value)}</code></td></tr>`,
  );
  const table = `<table><thead><tr><th>Header</th><th>Value</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  const none = '<p>No <code>x-guard-*</code> header came with this request.</p>';
  return layout(
    'Who am I?',
    `<h1>Who am I?</h1><p>What the gateway told the shop about this request.</p>
${rows.length === 0 ? none : table}`,
    visitor,
  );
}

export function messagePage(title: string, text: string): string {
  return layout(title, `<h1>${title}</h1><p>${text}</p>`, undefined);
}

function layout(title: string, body: string, visitor: Visitor | undefined): string {
  const user = visitor?.user;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Kiln</title>
<link rel="stylesheet" href="/assets/shop.css">
<link rel="icon" href="/assets/moon-jar.svg">
<script type="module" src="/assets/shop.mjs"></script>
<script defer src="${GUARD_SCRIPT}"></script>
</head>
<body>
<header><a class="brand" href="/">Kiln</a>
<nav><a href="/upload">Repairs</a><a href="/whoami">Who am I?</a>
${user === undefined ? '<a href="/login">Log in</a>' : `<span>Hello, ${escape(user)}</span>`}
<a class="cart" href="/cart">Cart <b>${countItems(visitor)}</b></a></nav></header>
<main>${body}</main>
<footer><p>Kiln is a demo shop. Nothing is for sale.</p><p id="live" aria-live="off"></p></footer>
</body>
</html>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
