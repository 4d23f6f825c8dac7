/**
 * This page makes all kinds of requests that browsers make, one after the other, and then goes to `/done`. It skips
 * kinds that a browser does not support.
 */
const PAGE = `<!doctype html><title>Every kind</title>
<link rel="stylesheet" href="/part.css"><link rel="manifest" href="/app.webmanifest" crossorigin="use-credentials">
<link rel="prefetch" href="/prefetched"><link rel="preload" href="/preloaded.js" as="script">
<img src="/part.png"><video src="/film.mp4" preload="auto"></video><audio src="/sound.mp3" preload="auto"></audio>
<object data="/object"></object><embed src="/embed" type="text/html"><iframe src="/frame"></iframe>
<script src="/part.js"></script><script type="module" src="/module.mjs"></script>
<script type="speculationrules">{"prerender":[{"urls":["/prerendered"]}],"prefetch":[{"urls":["/speculated"]}]}</script>
<form method="post" action="/posted"><input name="a" value="b"></form><a href="/linked" ping="/ping">on</a>
<a id="file" href="/file.zip" download>file</a>
<script type="module">
const settled = (work) => Promise.race([work().catch(() => {}), new Promise((end) => setTimeout(end, 4000))]);
const loaded = (path) => fetch(path, { method: 'POST', body: 'x' });
const framed = (path) => new Promise((end) => {
  const frame = document.createElement('iframe');
  frame.onload = end;
  frame.src = path;
  document.body.append(frame);
});
const xhr = (path, fields) => new Promise((end) => {
  const request = new XMLHttpRequest();
  request.open('GET', path);
  for (const [name, value] of Object.entries(fields)) request.setRequestHeader(name, value);
  request.onloadend = end;
  request.send();
});
const workerOf = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
const steps = [
  () => fetch('/fetch'),
  () => fetch('/fetch-html', { headers: { accept: 'text/html, */*', 'accept-language': 'de', 'x-own': '1' } }),
  () => fetch('/fetch-kept', { method: 'POST', keepalive: true, body: '{}', headers: { 'content-type': 'application/json' } }),
  () => loaded('/fetch-post'),
  () => xhr('/xhr', {}),
  () => xhr('/xhr-html', { accept: 'text/html', 'accept-language': 'fr' }),
  async () => void navigator.sendBeacon('/beacon', 'x'),
  () => new Promise((end) => (new EventSource('/stream').onerror = end)),
  () => new Promise((end) => (new WebSocket(location.origin.replace('http', 'ws') + '/socket').onclose = end)),
  () => new Promise((end) => (new Worker(workerOf("fetch('" + location.origin + "/worker-fetch').finally(() => postMessage(1))")).onmessage = end)),
  () => new Promise((end) => (new Worker('/worker.js').onmessage = end)),
  async () => void new SharedWorker('/shared.js'),
  () => import('/imported.mjs'),
  () => framed('/framed'),
  async () => {
    await navigator.serviceWorker.register('/service.js');
    await navigator.serviceWorker.ready;
    await framed('/behind-service');
    await fetch('/fetch-behind-service');
  },
  async () => document.querySelector('#file').click(),
  async () => {
    const target = document.createElement('iframe');
    target.name = 'target';
    document.body.append(target);
    const form = document.querySelector('form');
    form.target = 'target';
    await new Promise((end) => ((target.onload = end), form.submit()));
    const link = document.querySelector('a[ping]');
    link.target = 'target';
    await new Promise((end) => ((target.onload = end), link.click()));
  },
];
const walk = ['/walk-1', '/walk-2', '/walk-3'];
for (const step of steps) await settled(step);
location.href = walk[0];
</script>`;

/** These pages go to the next page by different kinds of navigations, after the service worker has become active. */
const loadScriptPage = (script: string) =>
  `<!doctype html><title>Walk</title><script>setTimeout(() => { ${script} }, 300)</script>`;

const SERVICE = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(Promise.all([
  clients.claim(), self.registration.navigationPreload?.enable(),
])));
self.addEventListener('fetch', (event) => {
  if (event.request.url.includes('/walk-2')) {
    event.respondWith(event.preloadResponse.then((answer) => answer ?? fetch(event.request)));
  } else event.respondWith(fetch(event.request));
});`;

const SCRIPT = 'text/javascript';

/** Content type and text for each path. Other paths have an empty page. */
export const EVERY_KIND: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ['/', ['text/html', PAGE]],
  ['/walk-1', ['text/html', loadScriptPage("location.href = '/walk-2'")]],
  ['/walk-2', ['text/html', loadScriptPage("location.replace('/walk-3')")]],
  [
    '/walk-3',
    [
      'text/html',
      loadScriptPage(
        "sessionStorage.again ? location.href = '/done' : (sessionStorage.again = 1, location.reload())",
      ),
    ],
  ],
  ['/service.js', [SCRIPT, SERVICE]],
  ['/worker.js', [SCRIPT, "fetch('/in-worker').finally(() => postMessage(1))"]],
  ['/shared.js', [SCRIPT, "fetch('/in-shared-worker')"]],
  ['/part.js', [SCRIPT, '']],
  ['/preloaded.js', [SCRIPT, '']],
  ['/module.mjs', [SCRIPT, '']],
  ['/imported.mjs', [SCRIPT, '']],
  ['/part.css', ['text/css', 'body { background: url(/background.png) }']],
]);
