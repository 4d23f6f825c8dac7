import { expect, test } from 'vitest';
import { disguise } from '../kit/driven-chromium.ts';
import { send } from '../kit/http.ts';
import { launchPlain } from '../kit/plain-chromium.ts';
import { serve } from '../kit/serve.ts';
import { useProduct } from '../kit/use-product.ts';
import { chromeHttp, curl } from '../kit/visitors.ts';

const story = useProduct({
  rules: [{ name: 'everybody', match: {}, detect: true }],
  // Then nothing but a trap leads to a challenge of who looks like a browser.
  organisation: { challenge: { free_pages: false } },
});

/** A page of a stranger, with everything in it that a browser loads without being asked. */
function strangersPage(trap: string, link: string): Promise<string> {
  const html = `<!doctype html><title>cats</title>
<link rel="prefetch" href="${trap}"><link rel="preload" as="fetch" href="${trap}">
<img src="${trap}" referrerpolicy="no-referrer"><iframe src="${trap}" referrerpolicy="no-referrer"></iframe>
<img src="${link}"><iframe src="${link}"></iframe><script src="${trap}"></script>
<script>fetch("${trap}", { mode: "no-cors" }).catch(() => 0);</script>
<a href="${trap}" rel="noreferrer">cats</a>`;
  return serve(({ url }, response) => {
    // As in a link shortener of a mail.
    if (url === '/hop') response.writeHead(302, { location: trap }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
}

/** A visit with the headers of a browser, from an address that a trusted proxy tells. Gives the status. */
async function visitFrom(ip: string | undefined): Promise<number> {
  const headers = { ...chromeHttp, ...(ip !== undefined && { 'x-forwarded-for': ip }) };
  return (await send(story.product.addresses.gateway, { headers })).status;
}

test('a browser neither follows the link of a page of Guard, nor can a foreign page make it hit a trap', async () => {
  const { gateway } = story.product.addresses;
  // The same machine under a name of its own: another site than the stranger's.
  const site = gateway.replace('127.0.0.1', 'localhost');
  const stranger = '84.115.20.9';
  const fields = { ...curl, host: 'localhost', 'x-forwarded-for': stranger };
  const { body } = await send(site, { headers: fields });
  const link = /<!-- <a href="([^"]+)"/.exec(body)?.[1] ?? '';
  expect(link).toContain('/.guard/archive?page=');

  const page = await strangersPage(`${site}/.env`, `${site}${link}`);
  const browser = await launchPlain();
  try {
    const tab = await (await browser.newContext(disguise(browser))).newPage();
    const asked: string[] = [];
    tab.on('request', (request) => asked.push(request.url()));
    // The answer of the challenge page is held back: otherwise the page goes on while this test looks at it.
    await tab.route('**', (route) =>
      route.request().method() === 'POST' ? undefined : route.continue(),
    );
    await tab.goto(page, { waitUntil: 'networkidle' });
    await tab.click('a');
    await tab.waitForURL(`${site}/.env`);
    expect(asked.filter((url) => url.endsWith('/.env')).length).toBeGreaterThan(4);
    expect(asked.filter((url) => url.endsWith(link)).length).toBeGreaterThan(1);
    expect(await visitFrom(undefined)).toBe(200);
    // Its page of Guard has a link of its own, and nothing asks for that.
    expect(await tab.content()).toContain('.guard/archive');
    expect(await tab.locator('[href*="archive"], [src*="archive"]').count()).toBe(0);
    expect(await tab.innerText('html')).not.toContain('Archive');
    expect(asked.filter((url) => url.includes('archive') && !url.endsWith(link))).toEqual([]);
    // Opened from outside: the browser says that no page caused it.
    // This challenge page goes on by itself: that would break off a longer wait.
    const fresh = await tab.context().newPage();
    const hopped = await fresh.goto(`${page}/hop`, { waitUntil: 'commit' });
    expect(hopped?.url()).toBe(`${site}/.env`);
    expect(await hopped?.request().headerValue('sec-fetch-site')).toBe('none');
    expect(await visitFrom(undefined)).toBe(200);
  } finally {
    await browser.close();
  }

  expect(await visitFrom(stranger)).toBe(200);
  expect((await send(`${site}${link}`, { headers: fields })).status).toBe(404);
  expect(await visitFrom(stranger)).toBe(403);
}, 60_000);
