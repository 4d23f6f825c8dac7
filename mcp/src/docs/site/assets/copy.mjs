/**
 * Adds a copy button to each block of code. Browsers allow copying only over https and on localhost, so with other URLs
 * no button appears.
 */
if (navigator.clipboard) {
  for (const block of document.querySelectorAll('main pre')) {
    const frame = document.createElement('div');
    const button = document.createElement('button');
    const say = (word) => {
      button.textContent = word;
    };
    frame.className = 'code';
    button.type = 'button';
    button.setAttribute('aria-live', 'polite');
    say('Copy');
    block.replaceWith(frame);
    frame.append(block, button);
    let timer;
    button.addEventListener('click', async () => {
      const copied = navigator.clipboard.writeText(block.textContent);
      say(
        await copied.then(
          () => 'Copied',
          () => 'Not copied',
        ),
      );
      clearTimeout(timer);
      timer = setTimeout(say, 2000, 'Copy');
    });
  }
}
