import { type ProtocolClient, openMarionette, openSocket } from '../protocol.ts';
import { waitForEnding } from '../wait-for-ending.ts';
import { startBidi, startMarionette } from '../started-browser.ts';
import type { Tool, Visit } from '../tool.ts';

/** A script for the browser context. After this script, pages no longer see that the browser is controlled. */
const hidingScript = (component: 'Marionette' | 'RemoteAgent') =>
  `Services.ppmm.sharedData.set("${component}:Active", false); Services.ppmm.sharedData.flush();`;

interface MarionetteSetup {
  readonly hidesWebdriver: boolean;
  readonly switches?: readonly string[];
  readonly preferences?: Readonly<Record<string, boolean>>;
}

/** Makes a visit over Marionette, the protocol of geckodriver. */
function marionetteVisit({
  hidesWebdriver,
  switches = [],
  preferences = {},
}: MarionetteSetup): Visit {
  return async (url, resources) => {
    const firefox = await startMarionette(resources, switches, preferences);
    try {
      const client = await openMarionette(Number(firefox.endpoint));
      await client.ask('WebDriver:NewSession', { pageLoadStrategy: 'none' });
      if (hidesWebdriver) {
        await client.ask('Marionette:SetContext', { value: 'chrome' });
        await client.ask('WebDriver:ExecuteScript', {
          script: hidingScript('Marionette'),
          args: [],
        });
        await client.ask('Marionette:SetContext', { value: 'content' });
      }
      await client.ask('WebDriver:Navigate', { url });
      const ending = await waitForEnding(async () => {
        const { value } = (await client.ask('WebDriver:GetTitle')) as { value: string };
        return value;
      });
      client.close();
      return ending;
    } finally {
      await firefox.close();
    }
  };
}

/** Makes a visit over WebDriver BiDi, the protocol of puppeteer and Selenium. */
function bidiVisit(hidesWebdriver: boolean): Visit {
  return async (url, resources) => {
    const firefox = await startBidi(resources);
    try {
      const client = await openSocket(firefox.endpoint);
      await client.ask('session.new', { capabilities: {} });
      if (hidesWebdriver) {
        const chromeContext = await firstContext(client, { 'moz:scope': 'chrome' });
        await client.ask('script.evaluate', {
          expression: hidingScript('RemoteAgent'),
          target: { context: chromeContext },
          awaitPromise: false,
        });
      }
      const context = await firstContext(client);
      await client.ask('browsingContext.navigate', { context, url, wait: 'none' });
      return await waitForEnding(async () => {
        const { result } = (await client.ask('script.evaluate', {
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

async function firstContext(client: ProtocolClient, scope: object = {}): Promise<string> {
  const { contexts } = (await client.ask('browsingContext.getTree', scope)) as {
    contexts: readonly { context: string }[];
  };
  const [first] = contexts;
  if (first === undefined) throw new Error('this Firefox has no tab');
  return first.context;
}

const WEBDRIVER_OFF_TEXT = 'navigator.webdriver off';
const NO_REMOTE_PREFERENCES = { 'remote.prefs.recommended': false };

const VISITS: readonly (readonly [name: string, variant: string, Visit])[] = [
  ['Marionette', 'headful', marionetteVisit({ hidesWebdriver: false })],
  ['Marionette', `headful, ${WEBDRIVER_OFF_TEXT}`, marionetteVisit({ hidesWebdriver: true })],
  [
    'Marionette',
    `headless, ${WEBDRIVER_OFF_TEXT}`,
    marionetteVisit({ hidesWebdriver: true, switches: ['--headless'] }),
  ],
  [
    'Marionette',
    `headful, ${WEBDRIVER_OFF_TEXT}, without preferences for remote control`,
    marionetteVisit({ hidesWebdriver: true, preferences: NO_REMOTE_PREFERENCES }),
  ],
  [
    'Marionette',
    `headless, ${WEBDRIVER_OFF_TEXT}, without preferences for remote control`,
    marionetteVisit({
      hidesWebdriver: true,
      preferences: NO_REMOTE_PREFERENCES,
      switches: ['--headless'],
    }),
  ],
  ['WebDriver BiDi', 'headful', bidiVisit(false)],
  ['WebDriver BiDi', `headful, ${WEBDRIVER_OFF_TEXT}`, bidiVisit(true)],
];

export const firefoxRemoteTools: readonly Tool[] = VISITS.map(([name, variant, visit]) => ({
  name: `${name}, no driver, Firefox`,
  variant,
  goal: variant === 'headful' ? 'stopped 100 %' : 'stopped ≥ 90 %',
  needs: { packages: [], programs: ['firefox-esr', 'Xvfb'] },
  visit,
}));
