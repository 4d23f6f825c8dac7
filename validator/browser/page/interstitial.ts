import type { Upload } from '../../page-contract/evidence.ts';
import { collect } from './collect.ts';
import { given } from './form.ts';
import { forgetReloads, isLooping, noteReload } from './loop-guard.ts';
import { show } from './screens.ts';
import { sessionCookies } from './session-cookie.ts';
import { storageWorks } from './tab-storage.ts';
import { sayLeft, upload } from './upload.ts';
import { keepUpstreamReferrer } from './upstream-referrer.ts';
import { work } from './work.ts';
import { whenVisited } from './when-visited.ts';

/** The challenge page (contract 3): read, upload, reload this URL. There is no other place to go to. */

/** How long a form that is sent again may take before the page says what to do, in milliseconds. */
const RESEND_HINT_MS = 4_000;

const data = document.querySelector<HTMLElement>('[data-ticket]')?.dataset ?? {};
const { ticket = '', upload: url = '', form = '' } = data;
const {
  [given.sheet]: sheet = '',
  [given.witnesses]: witnesses = '',
  [given.questions]: questions = '',
  [given.session]: own = '',
} = data;
/** The nonce of this script, which may load another script with it. It cannot be read after the script has run. */
const nonce = document.currentScript?.nonce;
let triedAgain = false;
let running = false;
/** The collector has said what comes next, or never will. */
let answered = false;

async function run(): Promise<void> {
  if (isLooping()) {
    show('failed');
    return;
  }
  const held = sessionCookies();
  const session = held.includes(own) ? own : (held[0] ?? '');
  // Without a session the upload still goes out: the server records that the cookie was lost.
  if (session !== '' && !storageWorks()) {
    giveWay();
    return;
  }
  // The echo page is asked for only on this very host.
  const echoUrl = url.startsWith('/') ? besideUpload('echo') : undefined;
  const asked = { ticket, sheet, witnesses, questions, echoUrl, isOwnPage: true };
  const evidence = await collect(asked);
  const send = (more: Pick<Upload, 'work'>) =>
    upload(url, { ticket, session, evidence, ...more }, () => show('waiting'));
  let result = await send({});
  while (typeof result === 'object') {
    show(result.result === 'doubt' ? 'doubted' : 'working');
    result = await send(await work(besideUpload('work.js'), result.task, nonce));
  }
  answered = result !== 'unreachable';
  act(result);
}

function besideUpload(name: string): string {
  return new URL(name, new URL(url, location.href)).href;
}

function act(result: Exclude<Awaited<ReturnType<typeof upload>>, object>): void {
  switch (result) {
    case 'reload':
    case 'retry':
      proceed();
      break;
    case 'no_session':
      show('cookies');
      break;
    case 'failed':
      show('failed');
      break;
    case 'unreachable':
      giveWay();
      break;
  }
}

/**
 * The same URL once more. Where it answered a form, the browser sends the form again, files and all,
 * and nothing of it passes through this page. Some browsers ask first, and stay here on a no.
 *
 * A form of another origin is never sent again: location.reload() would make it one of this origin.
 */
function proceed(): void {
  if (form === 'foreign') {
    show('elsewhere');
    return;
  }
  noteReload();
  location.reload();
  if (form === 'own') setTimeout(() => show('resend'), RESEND_HINT_MS);
}

/** Contract 3: first the retry screen, then the failure screen. */
function giveWay(): void {
  show(triedAgain ? 'failed' : 'retry');
}

function start(): void {
  if (running) return;
  running = true;
  keepUpstreamReferrer();
  run()
    .catch(giveWay)
    .finally(() => (running = false));
}

function listen(): void {
  document.querySelectorAll<HTMLElement>('[data-action]').forEach((button) => {
    button.addEventListener('click', () => {
      forgetReloads();
      const { action } = button.dataset;
      if (action === 'back') {
        history.back();
      } else if (action === 'reload') {
        proceed();
      } else {
        triedAgain = true;
        show('checking');
        start();
      }
    });
  });
  addEventListener('pagehide', () => {
    if (!answered) sayLeft(url, ticket);
  });
  // Back on a page that the browser had put aside: what it was about to do was cut off then.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    show('checking');
    start();
  });
}

listen();
whenVisited(start);
