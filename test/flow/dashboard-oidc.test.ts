import { expect, test } from 'vitest';
import { askDashboard, cookieOf, DASHBOARD_LISTEN } from '../kit/dashboard.ts';
import { freePort } from '../kit/free-port.ts';
import { type Answer, send } from '../kit/http.ts';
import { startOidcProvider } from '../kit/oidc-provider.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';

/** Sign-in with a real OpenID provider: authorization code with PKCE, groups of the ID token to organisations. */

const CLIENT = { clientId: 'guard', clientSecret: 'oidc-secret-6c5d4e3f2a1b0c9d8e7f' };

async function withProvider(
  groups: readonly string[],
  use: (product: Product) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const callback = `http://127.0.0.1:${port}/oidc/callback`;
  const provider = await startOidcProvider({ ...CLIENT, callback, groups });
  const product = await startProduct(
    storySettings('http://127.0.0.1:1', {
      top: {
        listen: { ...DASHBOARD_LISTEN, dashboard: `127.0.0.1:${port}` },
        dashboard: {
          oidc: {
            issuer: provider.issuer,
            client_id: CLIENT.clientId,
            client_secret: CLIENT.clientSecret,
            groups: { 'web-team': 'acme' },
          },
        },
      },
    }),
  );
  try {
    await use(product);
  } finally {
    await product.stop();
    await provider.close();
  }
}

/** Follows redirects and fills in the forms of the provider as a browser does, until it is back at the dashboard. */
async function signInAtProvider(product: Product, start: Answer): Promise<string> {
  const jar = new Map<string, string>();
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  let url = String(start.headers['location']);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    if (url.startsWith(product.addresses.dashboard)) return url;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer: Answer =
      form === undefined
        ? await send(url, { headers: { cookie: cookie() } })
        : await send(url, {
            method: 'POST',
            headers: { cookie: cookie(), ...type },
            body: form.toString(),
          });
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = (set.split(';', 1)[0] ?? '').split(/=(.*)/s);
      jar.set(name, value);
    }
    const location = answer.headers['location'];
    form = location === undefined ? formOf(answer) : undefined;
    url = new URL(location?.toString() ?? actionOf(answer), url).href;
  }
  throw new Error('the provider sends round in circles');
}

function formOf({ body }: Answer): URLSearchParams {
  const prompt = /name="prompt" value="(\w+)"/.exec(body)?.[1] ?? 'none';
  return new URLSearchParams({ prompt, login: 'ada', password: 'any' });
}

function actionOf({ status, body }: Answer): string {
  const action = /action="([^"]+)"/.exec(body)?.[1];
  if (action === undefined) throw new Error(`${status} ${body.slice(0, 300)}`);
  return action;
}

const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;

test('a user of a mapped group sees that organisation; the answer of another browser or a used one is refused', async () => {
  await withProvider(['staff', 'web-team'], async (product) => {
    const start = await askDashboard(product, '/oidc/start');
    expect(start.status).toBe(303);
    expect(String(start.headers['location'])).toContain('code_challenge_method=S256');
    const back = pathOf(await signInAtProvider(product, start));
    const foreign = await askDashboard(product, back);
    expect(foreign.headers['location']).toBe('/?signin=failed');
    const answer = await askDashboard(product, back, { cookie: cookieOf(start) });
    expect(answer.headers['location']).toBe('/');
    const cookie = cookieOf(answer, 1);
    const me = await askDashboard(product, '/api/me', { cookie });
    expect(JSON.parse(me.body)).toMatchObject({
      me: { organisation: 'acme', via: 'oidc', key: null },
    });
    const again = await askDashboard(product, back, { cookie: cookieOf(start) });
    expect(again.headers['location']).toBe('/?signin=failed');
    expect(product.log()).not.toContain(CLIENT.clientSecret);
  });
});

test('a user without a mapped group gets in nowhere, and the log says why', async () => {
  await withProvider(['staff'], async (product) => {
    const start = await askDashboard(product, '/oidc/start');
    const back = pathOf(await signInAtProvider(product, start));
    const answer = await askDashboard(product, back, { cookie: cookieOf(start) });
    expect(answer.headers['location']).toBe('/?signin=failed');
    expect(product.log()).toContain('no group of this user');
  });
});
