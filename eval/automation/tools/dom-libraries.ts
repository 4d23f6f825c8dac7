import { Window } from 'happy-dom';
import { CookieJar, JSDOM, VirtualConsole } from 'jsdom';
import { plainUserAgent } from '../chromium-setup.ts';
import type { Tool, Visit } from '../tool.ts';
import { domVisit } from './dom-visit.ts';
import { correctUploads, measureBoxes } from './patched-dom.ts';

const visitWithJsdom = (patched: boolean): Visit =>
  domVisit(async ({ url, html, cookies, fetch }, uploaded) => {
    const cookieJar = new CookieJar();
    for (const cookie of cookies) await cookieJar.setCookie(`${cookie}; Path=/`, url);
    const dom = new JSDOM(html, {
      url,
      runScripts: 'dangerously',
      pretendToBeVisual: true,
      cookieJar,
      resources: { userAgent: plainUserAgent() },
      // A console without listeners. With the default console, jsdom prints the features that it lacks.
      virtualConsole: new VirtualConsole(),
      beforeParse: (window) => {
        window.fetch = patched ? correctUploads(fetch) : fetch;
        if (patched) measureBoxes(window);
      },
    });
    await uploaded;
    dom.window.close();
  });

const visitWithHappyDom = (patched: boolean): Visit =>
  domVisit(async ({ url, html, cookies, fetch }, uploaded) => {
    const window = new Window({
      url,
      settings: {
        enableJavaScriptEvaluation: true,
        suppressInsecureJavaScriptEnvironmentWarning: true,
        navigator: { userAgent: plainUserAgent() },
        navigation: { disableMainFrameNavigation: true },
      },
    });
    window.console.error = () => undefined;
    for (const cookie of cookies) window.document.cookie = `${cookie}; path=/`;
    Object.defineProperty(window, 'fetch', { value: patched ? correctUploads(fetch) : fetch });
    if (patched) measureBoxes(window);
    window.document.write(html);
    await uploaded;
    await window.happyDOM.close();
  });

const LIBRARIES = { jsdom: visitWithJsdom, 'happy-dom': visitWithHappyDom } as const;

export const domLibraryTools: readonly Tool[] = Object.entries(LIBRARIES).flatMap(
  ([name, visitWith]) =>
    [false, true].map((patched) => ({
      name,
      variant: `Chromium's headers, runs scripts${patched ? ', boxes and readings corrected' : ''}`,
      goal: 'stopped ≥ 90 %' as const,
      needs: { packages: [name], programs: ['chromium'] },
      visit: visitWith(patched),
    })),
);
