/** The screens of the page. All are in the page from the start, in the visitor's language. */
type Screen =
  | 'checking'
  | 'waiting'
  | 'working'
  | 'doubted'
  | 'resend'
  | 'elsewhere'
  | 'retry'
  | 'failed'
  | 'cookies';

/** Moves the screens that text browsers must not show into the document (validator/src/pages/interstitial.ts). */
export function unfold(): void {
  const foldedScreens = document.querySelector('[type="text/html"]');
  foldedScreens?.insertAdjacentHTML('afterend', foldedScreens.textContent);
}

/** Shows one screen, sets the title of the document, and moves the focus there, except for `checking`. */
export function show(screen: Screen): void {
  document.querySelectorAll<HTMLElement>('[data-screen]').forEach((section) => {
    const isShown = section.dataset['screen'] === screen;
    section.hidden = !isShown;
    if (!isShown) return;
    const heading = section.querySelector<HTMLElement>('h1');
    if (!heading) return;
    document.title = heading.textContent;
    if (screen !== 'checking') heading.focus();
  });
}
