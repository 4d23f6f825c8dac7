import { render } from 'preact';
import './css/main.css';
import { App } from './app.tsx';
import { showUnsafeCharacters } from './text/show-unsafe.ts';

showUnsafeCharacters();

const place = document.getElementById('page');
if (place !== null) {
  place.textContent = '';
  render(<App />, place);
}
