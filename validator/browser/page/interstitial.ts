import type { Upload } from '../../page-contract/evidence.ts';
import { collect } from './collect.ts';
import { dataNames } from './form.ts';
import { forgetReloads, isLooping, noteReload } from './loop-guard.ts';
import { show, unfold } from './screens.ts';
import { sessionCookies } from './session-cookie.ts';
import { deleteStoredCopies } from './stored-copies.ts';
import { storageWorks } from './tab-storage.ts';
import { reportLeft, upload } from './upload.ts';
import { keepUpstreamReferrer } from './upstream-referrer.ts';
import { work } from './work.ts';
import { whenVisited } from './when-visited.ts';

/** The challenge page (contract 3) reads evidence, uploads it, and reloads its own URL. It opens no other URL. */

/**
 * Time that a reload can take before the page shows a hint, in milliseconds. The page stays when the answer is a file to
 * save, and browsers do not tell the page.
 */
const RELOAD_HINT_MS = 4_000;

const data = document.querySelector<HTMLElement>('[data-ticket]')?.dataset ?? {};
const { ticket = '', upload: uploadUrl = '', form = '' } = data;
const {
  [dataNames.sheet]: sheet = '',
  [dataNames.witnesses]: witnesses = '',
  [dataNames.questions]: questions = '',
  [dataNames.session]: ownSession = '',
} = data;
// Browsers refuse a request with a name and password in its URL. The URL of this page can contain them, but its origin
// cannot.
const url = new URL(uploadUrl, location.origin).href;
/** The nonce of this script. The page needs it to load another script, and can read it only while this script runs. */
const nonce = document.currentScript?.nonce;
let hasTriedAgain = false;
let isRunning = false;
/** True when the collector has answered. */
let hasResult = false;

async function run(): Promise<void> {
  if (isLooping()) {
    show('failed');
    return;
  }
  const cookieSessions = sessionCookies();
  const session = cookieSessions.includes(ownSession) ? ownSession : (cookieSessions[0] ?? '');
  // The upload is sent even without a session, so that the server records the lost cookie.
  if (session !== '' && !storageWorks()) {
    showFault();
    return;
  }
  // Only a collector on this host has an echo page.
  const echoUrl = uploadUrl.startsWith('/') ? collectorUrl('echo') : undefined;
  const visitData = { ticket, sheet, witnesses, questions, echoUrl, isOwnPage: true };
  const evidence = await collect(visitData);
  const send = (workDone: Pick<Upload, 'work'>) =>
    upload(url, { ticket, session, evidence, ...workDone }, () => show('waiting'));
  let result = await send({});
  while (typeof result === 'object') {
    show(result.result === 'doubt' ? 'doubted' : 'working');
    result = await send(await work(collectorUrl('work.js'), result.task, nonce));
  }
  hasResult = result !== 'unreachable';
  showResult(result);
}

function collectorUrl(name: string): string {
  return new URL(name, url).href;
}

function showResult(result: Exclude<Awaited<ReturnType<typeof upload>>, object>): void {
  switch (result) {
    case 'reload':
      reloadPage('opening');
      break;
    case 'retry':
      reloadPage();
      break;
    case 'no_session':
      show('cookies');
      break;
    case 'failed':
      show('failed');
      break;
    case 'unreachable':
      showFault();
      break;
  }
}

/**
 * Loads the same URL again. When this page is the answer to a form, the browser sends the form again with its files.
 * The page itself never sees the form. Some browsers ask the visitor first, and stay on this page when the visitor
 * declines.
 *
 * A form of another origin is never sent again, because location.reload() would make it a form of this origin.
 */
function reloadPage(hint?: 'opening'): void {
  if (form === 'foreign') {
    show('elsewhere');
    return;
  }
  noteReload();
  void deleteStoredCopies().then(() => {
    location.reload();
    const screen = form === 'own' ? 'resend' : hint;
    if (screen) setTimeout(() => show(screen), RELOAD_HINT_MS);
  });
}

/** Contract 3: shows the retry screen after the first failure, and the failure screen after the second. */
function showFault(): void {
  show(hasTriedAgain ? 'failed' : 'retry');
}

function start(): void {
  if (isRunning) return;
  isRunning = true;
  keepUpstreamReferrer();
  run()
    .catch(showFault)
    .finally(() => (isRunning = false));
}

function listen(): void {
  document.querySelectorAll<HTMLElement>('[data-action]').forEach((button) => {
    button.addEventListener('click', () => {
      forgetReloads();
      const { action } = button.dataset;
      if (action === 'back') {
        history.back();
      } else if (action === 'reload') {
        reloadPage();
      } else {
        hasTriedAgain = true;
        show('checking');
        start();
      }
    });
  });
  addEventListener('pagehide', () => {
    if (!hasResult) reportLeft(url, ticket);
  });
  // The browser has restored this page from its cache, and cancelled the planned reload.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    show('checking');
    start();
  });
}

unfold();
listen();
whenVisited(start);
