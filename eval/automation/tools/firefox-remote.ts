import { type Line, openMarionette, openSocket } from '../protocol.ts';
import { settled } from '../settled.ts';
import { startBidi, startMarionette } from '../started-browser.ts';
import type { Tool, Visit } from '../tool.ts';

/** Runs in the browser itself: its pages are no longer told that it is driven. */
const hide = (agent: 'Marionette' | 'RemoteAgent') =>
  `Services.ppmm.sharedData.set("${agent}:Active", false); Services.ppmm.sharedData.flush();`;

interface MarionetteSetup {
  readonly hidden: boolean;
  readonly switches?: readonly string[];
  readonly preferences?: Readonly<Record<string, boolean>>;
}

/** Marionette itself, which geckodriver speaks. */
function marionetteVisit({ hidden, switches = [], preferences = {} }: MarionetteSetup): Visit {
  return async (url, place) => {
    const firefox = await startMarionette(place, switches, preferences);
    try {
      const line = await openMarionette(Number(firefox.endpoint));
      await line.ask('WebDriver:NewSession', { pageLoadStrategy: 'none' });
      if (hidden) {
        await line.ask('Marionette:SetContext', { value: 'chrome' });
        await line.ask('WebDriver:ExecuteScript', { script: hide('Marionette'), args: [] });
        await line.ask('Marionette:SetContext', { value: 'content' });
      }
      await line.ask('WebDriver:Navigate', { url });
      const ending = await settled(async () => {
        const { value } = (await line.ask('WebDriver:GetTitle')) as { value: string };
        return value;
      });
      line.close();
      return ending;
    } finally {
      await firefox.close();
    }
  };
}

/** WebDriver BiDi, which puppeteer and Selenium speak. */
function bidiVisit(hidden: boolean): Visit {
  return async (url, place) => {
    const firefox = await startBidi(place);
    try {
      const line = await openSocket(firefox.endpoint);
      await line.ask('session.new', { capabilities: {} });
      if (hidden) {
        const browser = await firstContext(line, { 'moz:scope': 'chrome' });
        await line.ask('script.evaluate', {
          expression: hide('RemoteAgent'),
          target: { context: browser },
          awaitPromise: false,
        });
      }
      const context = await firstContext(line);
      await line.ask('browsingContext.navigate', { context, url, wait: 'none' });
      return await settled(async () => {
        const { result } = (await line.ask('script.evaluate', {
          expression: 'document.title',
          target: { context, sandbox: 'reader' },
          awaitPromise: false,
        })) as { result: { value: string } };
        return result.value;
      });
    } finally {
      await firefox.close();
    }
  };
}

async function firstContext(line: Line, scope: object = {}): Promise<string> {
  const { contexts } = (await line.ask('browsingContext.getTree', scope)) as {
    contexts: readonly { context: string }[];
  };
  const [first] = contexts;
  if (first === undefined) throw new Error('this Firefox has no tab');
  return first.context;
}

const HIDDEN = 'navigator.webdriver off';
const UNUSUAL = { 'remote.prefs.recommended': false };

const VISITS: readonly (readonly [name: string, variant: string, Visit])[] = [
  ['Marionette', 'headful', marionetteVisit({ hidden: false })],
  ['Marionette', `headful, ${HIDDEN}`, marionetteVisit({ hidden: true })],
  [
    'Marionette',
    `headless, ${HIDDEN}`,
    marionetteVisit({ hidden: true, switches: ['--headless'] }),
  ],
  [
    'Marionette',
    `headful, ${HIDDEN}, its preferences off`,
    marionetteVisit({ hidden: true, preferences: UNUSUAL }),
  ],
  [
    'Marionette',
    `headless, ${HIDDEN}, its preferences off`,
    marionetteVisit({ hidden: true, preferences: UNUSUAL, switches: ['--headless'] }),
  ],
  ['WebDriver BiDi', 'headful', bidiVisit(false)],
  ['WebDriver BiDi', `headful, ${HIDDEN}`, bidiVisit(true)],
];

export const firefoxRemoteTools: readonly Tool[] = VISITS.map(([name, variant, visit]) => ({
  name: `${name}, no driver, Firefox`,
  variant,
  goal: variant === 'headful' ? 'stopped 100 %' : 'stopped ≥ 90 %',
  needs: { packages: [], programs: ['firefox-esr', 'Xvfb'] },
  visit,
}));
