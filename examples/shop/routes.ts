import type { IncomingMessage, ServerResponse } from 'node:http';
import { seeOther, send, sendHtml, sendJson } from './answers.ts';
import { loadAssets } from './assets.ts';
import type { EventStream } from './event-stream.ts';
import { readForm } from './form.ts';
import * as pages from './pages.ts';
import { findProduct, products } from './products.ts';
import { measureUpload } from './upload.ts';
import { addToCart, sessionCookie, Visitors } from './visitors.ts';
import type { Visitor } from './visitors.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly visitor: Visitor | undefined;
}
type Handler = (exchange: Exchange) => ServerResponse | Promise<ServerResponse>;
type Routes = Readonly<Partial<Record<'GET' | 'POST', Handler>>>;

/** Answers every request of the shop. */
export function createRouter(
  events: EventStream,
): (
  request: IncomingMessage,
  response: ServerResponse,
) => ServerResponse | Promise<ServerResponse> {
  const visitors = new Visitors();
  const table = new Map<string, Routes>([
    ['/', { GET: page(pages.homePage) }],
    ['/login', { GET: page((visitor) => pages.loginPage(visitor)), POST: login(visitors) }],
    ['/cart', { GET: page(pages.cartPage), POST: fillCart(visitors) }],
    ['/upload', { GET: page(pages.uploadPage), POST: upload }],
    ['/api/products', { GET: listProducts }],
    ['/events', { GET: subscribe(events) }],
    ['/whoami', { GET: whoami }],
    ['/healthz', { GET: ({ response }) => send(response, 200, 'text/plain', 'ok\n') }],
  ]);
  for (const product of products) {
    const show = page((visitor) => pages.productPage(product, visitor));
    table.set(`/product/${product.id}`, { GET: show });
  }
  for (const [path, { contentType, body }] of loadAssets()) {
    table.set(path, { GET: ({ response }) => send(response, 200, contentType, body) });
  }

  return (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const routes = table.get(path);
    if (routes === undefined) {
      return sendHtml(response, 404, pages.messagePage('Not found', 'There is no such page here.'));
    }
    const handler = handlerFor(routes, request.method);
    if (handler === undefined) {
      response.setHeader('allow', Object.keys(routes).join(', '));
      return sendJson(response, 405, { error: 'method_not_allowed' });
    }
    return handler({ request, response, path, visitor: visitors.find(request) });
  };
}

/** For HEAD, Node itself omits the body. */
function handlerFor(routes: Routes, method: string | undefined): Handler | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return routes.GET;
    case 'POST':
      return routes.POST;
    case undefined:
    default:
      return undefined;
  }
}

function page(render: (visitor: Visitor | undefined) => string): Handler {
  return ({ response, visitor }) => sendHtml(response, 200, render(visitor));
}

function login(visitors: Visitors): Handler {
  return async ({ request, response, visitor }) => {
    const form = await readForm(request);
    if (form === 'too_large') return refuseBody(response);
    const user = form.get('username') ?? '';
    if (user !== 'demo' || form.get('password') !== 'demo') {
      const problem = 'This name and password do not belong together.';
      return sendHtml(response, 401, pages.loginPage(visitor, problem));
    }
    const known = visitors.create(visitor);
    known.user = user;
    return seeOther(response, '/', sessionCookie(known));
  };
}

function fillCart(visitors: Visitors): Handler {
  return async ({ request, response, visitor }) => {
    const form = await readForm(request);
    if (form === 'too_large') return refuseBody(response);
    const product = findProduct(form.get('product') ?? '');
    if (product === undefined) {
      return sendHtml(response, 400, pages.messagePage('Cart', 'There is no such piece.'));
    }
    const known = visitor ?? visitors.create();
    addToCart(known, product);
    return seeOther(response, '/cart', sessionCookie(known));
  };
}

const upload: Handler = async ({ request, response }) => {
  const measured = await measureUpload(request);
  if (measured === 'too_large') return refuseBody(response);
  return sendJson(response, 200, {
    ...measured,
    content_type: request.headers['content-type'] ?? null,
  });
};

const listProducts: Handler = ({ response }) =>
  sendJson(response, 200, {
    products: products.map(({ id, name, note, price }) => ({ id, name, note, price })),
  });

const whoami: Handler = ({ request, response, visitor }) => {
  const headers = Object.entries(request.headers)
    .filter(([name]) => name.startsWith('x-guard-') || name === 'x-forwarded-for')
    .map(([name, value]) => [name, String(value)] as const);
  return sendHtml(response, 200, pages.whoamiPage(headers, visitor));
};

function subscribe(events: EventStream): Handler {
  return ({ request, response }) => {
    if (request.method === 'HEAD') return send(response, 200, 'text/event-stream', '');
    return events.add(response) ? response : sendJson(response, 503, { error: 'too_many_streams' });
  };
}

function refuseBody(response: ServerResponse): ServerResponse {
  response.setHeader('connection', 'close');
  return sendJson(response, 413, { error: 'body_too_large' });
}
