import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { serve } from '../kit/serve.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';

/** A site whose pages load the browser script, behind the started product. Only `/vault/**` is protected. */
export interface ScriptSite {
  readonly product: Product;
  /** The URL of the site, through the gateway. */
  readonly url: string;
  /** The requests that reached the origin, in order. */
  readonly arrivals: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}

export const SITE_KEY = 'site_acme';

/** A script that records in the page: the globals before the browser script, events and errors. */
const RECORDER = `<script>
window.before = Object.getOwnPropertyNames(window);
window.events = [];
window.errors = [];
addEventListener('GuardInitialized', (event) => events.push([event.target === window, guard.initialized]));
addEventListener('error', (event) => errors.push(String(event.message)));
addEventListener('unhandledrejection', (event) => errors.push(String(event.reason)));
</script>`;

function pageWith(scripts: readonly string[], extra = ''): string {
  const tags = scripts.map((src) => `<script defer src="${src}"></script>`);
  return `<!doctype html><title>Page</title>${RECORDER}${tags.join('')}${extra}<h1>A page</h1>`;
}

/**
 * A script that goes to another page as soon as the browser script has uploaded. `target` is a JavaScript expression.
 */
function linkTo(target: string): string {
  return `<script>addEventListener('GuardInitialized', () => { location.href = ${target}; });</script>`;
}

const THEN_VAULT = linkTo("'/vault' + location.pathname");

/**
 * A page such as many teams build. It has style sheets for every element, libraries that wrap built-in functions,
 * polyfills, a formatter of stack traces, and elements with the names of built-in objects.
 */
const CROWD = `<style>
* { all: revert !important; box-sizing: border-box !important; margin: 3px !important; float: left !important; }
html { zoom: 1.25; font-size: 40px; direction: rtl; } div { display: grid !important; width: 77px !important; }
iframe { display: block !important; width: 10px; } body { transform: scale(0.8); }
</style>
<script>
for (const [holder, name] of [[window, 'fetch'], [window, 'setTimeout'], [console, 'debug'], [console, 'log'],
  [history, 'pushState'], [history, 'replaceState'], [EventTarget.prototype, 'addEventListener'],
  [Element.prototype, 'attachShadow'], [Node.prototype, 'appendChild'], [Function.prototype, 'toString'],
  [HTMLCanvasElement.prototype, 'getContext'], [JSON, 'stringify'], [Promise.prototype, 'then']]) {
  const original = holder[name];
  holder[name] = function (...args) { return original.apply(this, args); };
}
Error.prepareStackTrace = (error) => String(error);
Array.prototype.last = function () { return this[this.length - 1]; };
Object.prototype.extend = function () {};
window.Worker = class { constructor() { throw new Error('no workers here'); } };
new MutationObserver(() => undefined).observe(document, { subtree: true, childList: true, attributes: true });
</script><form><input name="ticket"><input name="fetch"></form><div id="initialized"></div>`;

interface Page {
  readonly html: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** The pages, by path. One page loads the script from the host of the collector. */
function pagesOf(collector: string): Readonly<Record<string, Page>> {
  const ownUrl = `/.guard/script.js?site_key=${SITE_KEY}`;
  return {
    '/open': { html: pageWith([ownUrl]) },
    '/twice': { html: pageWith([ownUrl, ownUrl]) },
    '/elsewhere': { html: pageWith([`${collector}/script.js?site_key=${SITE_KEY}`]) },
    '/wrong-key': { html: pageWith(['/.guard/script.js?site_key=wrong']) },
    '/own-guard': { html: pageWith([ownUrl], '<script>window.guard = "mine";</script>') },
    '/plain': { html: pageWith([ownUrl], THEN_VAULT) },
    '/first': { html: pageWith([ownUrl], linkTo("'/second'")) },
    '/second': { html: pageWith([ownUrl], THEN_VAULT) },
    '/driven': { html: pageWith([ownUrl], THEN_VAULT) },
    '/crowded': { html: pageWith([ownUrl], CROWD + THEN_VAULT) },
    '/there-and-back': {
      html: pageWith(
        [ownUrl],
        `${linkTo("'/back'")}<script>addEventListener('pageshow', ({ persisted }) => {
  const [{ type, notRestoredReasons }] = performance.getEntriesByType('navigation');
  if (persisted || type === 'back_forward') {
    fetch('/report?' + encodeURIComponent(JSON.stringify({ persisted, initialized: window.guard?.initialized, events: events.length, notRestoredReasons })));
  }
});</script>`,
      ),
    },
    '/back': {
      html: "<script>addEventListener('load', () => setTimeout(() => history.back(), 100));</script>",
    },
    '/no-connect': {
      html: pageWith([ownUrl]),
      headers: {
        'content-security-policy':
          "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'none'",
      },
    },
  };
}

/** Starts origin and product. The caller closes them. */
export async function startScriptSite(
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<ScriptSite> {
  const arrivals: ScriptSite['arrivals'] = [];
  let pages: Readonly<Record<string, Page>> = {};
  const ends: (() => void)[] = [];
  const handle: RequestListener = ({ url = '', headers }, response) => {
    arrivals.push({ url, headers });
    const page = pages[url] ?? { html: '<!doctype html><title>Plain</title><h1>The origin</h1>' };
    response.writeHead(200, { 'content-type': 'text/html', ...page.headers }).end(page.html);
  };
  const origin = await serve(handle, (end) => ends.push(end));
  const { organisations, ...settings } = productSettings(origin, {
    site: { protect: ['/vault/**'] },
    top: overrides,
  });
  const [acme] = organisations as Readonly<Record<string, unknown>>[];
  const product = await startProduct({
    ...settings,
    organisations: [{ ...acme, site_key: SITE_KEY }],
  });
  pages = pagesOf(product.addresses.collector);
  return {
    product,
    url: product.addresses.gateway,
    arrivals,
    async close() {
      await product.stop();
      for (const end of ends) end();
    },
  };
}
