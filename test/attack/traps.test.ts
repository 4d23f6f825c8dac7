import { expect, test } from 'vitest';
import { contextOptionsFor } from '../kit/browsers/driven-chromium.ts';
import { send } from '../kit/http.ts';
import { launchPlain } from '../kit/browsers/plain-chromium.ts';
import { serve } from '../kit/serve.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp, curl } from '../kit/visitors/visitors.ts';

const testbed = useProduct({
  rules: [{ name: 'everybody', match: {}, detect: true }],
  // With these settings, only a trap leads to a challenge of a client that has the header fields of a browser.
  organisation: { challenge: { free_pages: false } },
});

/** A page of an attacker, with each element for which a browser loads a URL without a click. */
function strangersPage(trap: string, link: string): Promise<string> {
  const html = `<!doctype html><title>cats</title>
<link rel="prefetch" href="${trap}"><link rel="preload" as="fetch" href="${trap}">
<img src="${trap}" referrerpolicy="no-referrer"><iframe src="${trap}" referrerpolicy="no-referrer"></iframe>
<img src="${link}"><iframe src="${link}"></iframe><script src="${trap}"></script>
<script>fetch("${trap}", { mode: "no-cors" }).catch(() => 0);</script>
<a href="${trap}" rel="noreferrer">cats</a>`;
  return serve(({ url }, response) => {
    // The redirect is that of a link shortener in a mail.
    if (url === '/hop') response.writeHead(302, { location: trap }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
}

/** The status of a visit with the headers of a browser, from an address that a trusted proxy names. */
async function visitFrom(ip: string | undefined): Promise<number> {
  const headers = { ...chromeHttp, ...(ip !== undefined && { 'x-forwarded-for': ip }) };
  return (await send(testbed.product.addresses.gateway, { headers })).status;
}

test('a browser does not follow the hidden link of Guard’s pages, and a foreign page cannot make a visitor hit a trap', async () => {
  const { gateway } = testbed.product.addresses;
  // With another name of this machine, the site is not the site of the attacker.
  const site = gateway.replace('127.0.0.1', 'localhost');
  const strangerIp = '84.115.20.9';
  const fields = { ...curl, host: 'localhost', 'x-forwarded-for': strangerIp };
  const { body } = await send(site, { headers: fields });
  const link = /<!-- <a href="([^"]+)"/.exec(body)?.[1] ?? '';
  expect(link).toContain('/.guard/archive?page=');

  const page = await strangersPage(`${site}/.env`, `${site}${link}`);
  const browser = await launchPlain();
  try {
    const tab = await (await browser.newContext(contextOptionsFor(browser))).newPage();
    const urls: string[] = [];
    tab.on('request', (request) => urls.push(request.url()));
    // The upload is stopped, because the page would reload while this test reads it.
    await tab.route('**', (route) =>
      route.request().method() === 'POST' ? undefined : route.continue(),
    );
    await tab.goto(page, { waitUntil: 'networkidle' });
    await tab.click('a');
    await tab.waitForURL(`${site}/.env`);
    expect(urls.filter((url) => url.endsWith('/.env')).length).toBeGreaterThan(4);
    expect(urls.filter((url) => url.endsWith(link)).length).toBeGreaterThan(1);
    expect(await visitFrom(undefined)).toBe(200);
    // The page of Guard in this browser has its own hidden link, and the browser does not request this link.
    expect(await tab.content()).toContain('.guard/archive');
    expect(await tab.locator('[href*="archive"], [src*="archive"]').count()).toBe(0);
    expect(await tab.innerText('html')).not.toContain('Archive');
    expect(urls.filter((url) => url.includes('archive') && !url.endsWith(link))).toEqual([]);
    // A link that another program opens: Sec-Fetch-Site says that no page caused the request. This challenge page
    // reloads, which would end a longer wait.
    const otherTab = await tab.context().newPage();
    const answer = await otherTab.goto(`${page}/hop`, { waitUntil: 'commit' });
    expect(answer?.url()).toBe(`${site}/.env`);
    expect(await answer?.request().headerValue('sec-fetch-site')).toBe('none');
    expect(await visitFrom(undefined)).toBe(200);
  } finally {
    await browser.close();
  }

  expect(await visitFrom(strangerIp)).toBe(200);
  expect((await send(`${site}${link}`, { headers: fields })).status).toBe(404);
  expect(await visitFrom(strangerIp)).toBe(403);
}, 60_000);
