/**
 * Puts a button on each block of code that copies it. Browsers let a page copy over https and on the machine
 * itself; elsewhere there is no button.
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
