import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { chooseLanguage } from '../../src/pages/choose-language.ts';
import type { FormSource } from '../../src/request/form-source.ts';
import { plainProgram } from '../../src/challenge/program/programs.ts';
import { createInterstitial, type RenderedPage } from '../../src/pages/interstitial.ts';
import { compileLook, type Look } from '../../src/pages/look.ts';
import { type NoticeOptions, renderNotice } from '../../src/pages/notice-page.ts';
import { loadBrowserBundle } from '../build.ts';

/** Serves every screen that a visitor can see, each at its own address, for people and for tests. */

interface Screen {
  readonly name: string;
  readonly form: FormSource;
}

/** The screens of the challenge page. `noscript` is the text without scripts. */
const CHALLENGE_SCREENS: readonly Screen[] = [
  { name: 'checking', form: 'none' },
  { name: 'waiting', form: 'none' },
  { name: 'working', form: 'none' },
  { name: 'doubted', form: 'none' },
  { name: 'opening', form: 'none' },
  { name: 'resend', form: 'own' },
  { name: 'elsewhere', form: 'foreign' },
  { name: 'retry', form: 'none' },
  { name: 'failed', form: 'none' },
  { name: 'cookies', form: 'none' },
  { name: 'noscript', form: 'none' },
];
type ShownNotice = Pick<NoticeOptions, 'notice' | 'retryAfterS'>;
const NOTICES: Readonly<Partial<Record<string, ShownNotice>>> = {
  blocked: { notice: 'blocked' },
  'rate-limited': { notice: 'rateLimited', retryAfterS: 3600 },
  unreachable: { notice: 'unreachable' },
  busy: { notice: 'busy' },
};

export const SCREENS: readonly string[] = [
  ...CHALLENGE_SCREENS.map(({ name }) => name),
  ...Object.keys(NOTICES),
];

export interface Gallery {
  readonly url: string;
  readonly server: Server;
}

const render = createInterstitial();
const program = plainProgram(loadBrowserBundle().interstitial);
const REFERENCE = 'K7QM2X9D';

/** Serves the screens on a free port of 127.0.0.1, each under its name. It never answers an upload. */
export async function startGallery(look: Look = compileLook()): Promise<Gallery> {
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? '';
    if (request.method === 'POST') return;
    const page = pageOf(name, request.headers['accept-language'], look);
    if (page) response.writeHead(403, page.headers).end(page.html);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, server };
}

function pageOf(
  name: string,
  acceptLanguage: string | undefined,
  look: Look,
): RenderedPage | undefined {
  const notice = NOTICES[name];
  if (notice !== undefined)
    return renderNotice({ ...notice, reference: REFERENCE, acceptLanguage, look });
  const screen = CHALLENGE_SCREENS.find((candidate) => candidate.name === name);
  return (
    screen &&
    render({
      program,
      ticket: 'ticket',
      sheet: '',
      session: 'session',
      uploadUrl: '/.guard/verify',
      reference: REFERENCE,
      messages: chooseLanguage(acceptLanguage),
      form: screen.form,
      look,
    })
  );
}

/** Opens one screen. The page's own script waits for the answer to its upload, so the screen does not change. */
export async function openScreen(page: Page, gallery: Gallery, name: string): Promise<void> {
  await page.goto(`${gallery.url}/${name}`);
  if (name === 'noscript' || NOTICES[name] !== undefined) return;
  await page.evaluate(`for (const section of document.querySelectorAll('[data-screen]')) {
    section.hidden = section.dataset.screen !== '${name}';
    if (!section.hidden) document.title = section.querySelector('h1').textContent;
  }`);
}
