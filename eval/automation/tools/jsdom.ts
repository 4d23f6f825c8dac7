import { CookieJar, JSDOM, VirtualConsole } from 'jsdom';
import { plainUserAgent } from '../chromium-setup.ts';
import type { Tool, Visit } from '../tool.ts';
import { domVisit } from './dom-visit.ts';
import { correcting, measureBoxes } from './patched-dom.ts';

const visitWith = (patched: boolean): Visit =>
  domVisit(async ({ url, html, cookies, fetch }, uploaded) => {
    const cookieJar = new CookieJar();
    for (const cookie of cookies) await cookieJar.setCookie(`${cookie}; Path=/`, url);
    const dom = new JSDOM(html, {
      url,
      runScripts: 'dangerously',
      pretendToBeVisual: true,
      cookieJar,
      resources: { userAgent: plainUserAgent() },
      // A console without listeners: otherwise jsdom prints what it has not implemented.
      virtualConsole: new VirtualConsole(),
      beforeParse: (window) => {
        window.fetch = patched ? correcting(fetch) : fetch;
        if (patched) measureBoxes(window);
      },
    });
    await uploaded;
    dom.window.close();
  });

export const jsdomTools: readonly Tool[] = [false, true].map((patched) => ({
  name: 'jsdom',
  variant: `Chromium's headers, runs scripts${patched ? ', boxes and readings corrected' : ''}`,
  goal: 'stopped ≥ 90 %',
  needs: { packages: ['jsdom'], programs: ['chromium'] },
  visit: visitWith(patched),
}));
