/** The screens of the page. The page contains all of them from the start, in the visitor's language. */
type Screen =
  | 'checking'
  | 'waiting'
  | 'working'
  | 'doubted'
  | 'opening'
  | 'resend'
  | 'elsewhere'
  | 'retry'
  | 'failed'
  | 'cookies';

/**
 * Inserts the folded screens into the document. They are folded because text browsers must not show them
 * (validator/src/pages/interstitial.ts).
 */
export function unfold(): void {
  const foldedScreens = document.querySelector('[type="text/html"]');
  foldedScreens?.insertAdjacentHTML('afterend', foldedScreens.textContent);
}

/**
 * Shows one screen, and sets the title of the document. Also moves the focus to the screen's heading, except for
 * `checking`.
 */
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
