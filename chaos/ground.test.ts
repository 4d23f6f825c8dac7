import { describe, expect, test } from 'vitest';
import { type Ground, onGround } from './ground.ts';

const { signal } = new AbortController();
const say = () => undefined;

/** Starts three things; the end of the second one fails. */
function startThree(ground: Ground, ended: string[]): void {
  for (const name of ['first', 'second', 'third']) {
    ground.behind(() => {
      ended.push(name);
      if (name === 'second') throw new Error('gone already');
    });
  }
}

describe('whatever a fault has started is ended behind it, the last first', () => {
  test('when it comes to its end, and what could not be ended is told', async () => {
    const ended: string[] = [];
    const tried = onGround({ say, signal }, (ground) => {
      startThree(ground, ended);
      return Promise.resolve('held');
    });
    await expect(tried).rejects.toThrow('not everything ended: Error: gone already');
    expect(ended).toEqual(['third', 'second', 'first']);
  });

  test('when it fails, with its own reason', async () => {
    const ended: string[] = [];
    const tried = onGround({ say, signal }, (ground) => {
      startThree(ground, ended);
      return Promise.reject(new Error('no origin'));
    });
    await expect(tried).rejects.toThrow('no origin');
    expect(ended).toEqual(['third', 'second', 'first']);
  });

  test('when somebody interrupts it', async () => {
    const ended: string[] = [];
    const interrupt = new AbortController();
    const tried = onGround({ say, signal: interrupt.signal }, (ground) => {
      startThree(ground, ended);
      interrupt.abort();
      return new Promise(() => undefined);
    });
    await expect(tried).rejects.toThrow('it was told to end');
    expect(ended).toEqual(['third', 'second', 'first']);
  });
});
