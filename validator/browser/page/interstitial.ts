import { collect } from './collect.ts';
import { forgetReloads, isLooping, noteReload } from './loop-guard.ts';
import { show } from './screens.ts';
import { sessionCookie } from './session-cookie.ts';
import { storageWorks } from './tab-storage.ts';
import { upload } from './upload.ts';
import { keepUpstreamReferrer } from './upstream-referrer.ts';

/** The challenge page (spec 3): read, upload, reload this URL. There is no other place to go to. */

let triedAgain = false;

async function run(): Promise<void> {
  keepUpstreamReferrer();
  if (isLooping()) {
    show('failed');
    return;
  }
  const session = sessionCookie();
  // Without a session the upload still goes out: the server records that the cookie was lost.
  if (session !== '' && !storageWorks()) {
    giveWay();
    return;
  }
  const { ticket = '', upload: url = '' } = document.body.dataset;
  act(await upload(url, { ticket, session, evidence: await collect() }));
}

function act(result: Awaited<ReturnType<typeof upload>>): void {
  switch (result) {
    case 'reload':
    case 'retry':
      noteReload();
      location.reload();
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

/** Spec 3: first the retry screen, then the failure screen. */
function giveWay(): void {
  show(triedAgain ? 'failed' : 'retry');
}

function start(): void {
  run().catch(giveWay);
}

function listen(): void {
  document.querySelectorAll<HTMLElement>('[data-action]').forEach((button) => {
    button.addEventListener('click', () => {
      forgetReloads();
      if (button.dataset['action'] === 'reload') {
        location.reload();
      } else {
        triedAgain = true;
        show('checking');
        start();
      }
    });
  });
}

/** A page that is rendered ahead of a visit starts when the visit does: it cannot reload before. */
function whenVisited(begin: () => void): void {
  const { prerendering } = document as Document & { readonly prerendering?: boolean };
  if (prerendering === true) {
    document.addEventListener('prerenderingchange', begin, { once: true });
  } else {
    begin();
  }
}

listen();
whenVisited(start);
