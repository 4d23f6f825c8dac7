import { describe, expect, test } from 'vitest';
import { type Trial, runTrial } from './trial.ts';

const { signal } = new AbortController();
const say = () => undefined;

/** Starts three things; the end of the second one fails. */
function startThree(trial: Trial, ended: string[]): void {
  for (const name of ['first', 'second', 'third']) {
    trial.atEnd(() => {
      ended.push(name);
      if (name === 'second') throw new Error('gone already');
    });
  }
}

describe('what a fault has started is ended after it, the last first', () => {
  test('when it succeeds; what could not be ended is an error', async () => {
    const ended: string[] = [];
    const tried = runTrial({ say, signal }, (trial) => {
      startThree(trial, ended);
      return Promise.resolve('held');
    });
    await expect(tried).rejects.toThrow('not everything ended: Error: gone already');
    expect(ended).toEqual(['third', 'second', 'first']);
  });

  test('when it fails, with its own reason', async () => {
    const ended: string[] = [];
    const tried = runTrial({ say, signal }, (trial) => {
      startThree(trial, ended);
      return Promise.reject(new Error('no origin'));
    });
    await expect(tried).rejects.toThrow('no origin');
    expect(ended).toEqual(['third', 'second', 'first']);
  });

  test('when it is interrupted', async () => {
    const ended: string[] = [];
    const interrupt = new AbortController();
    const tried = runTrial({ say, signal: interrupt.signal }, (trial) => {
      startThree(trial, ended);
      interrupt.abort();
      return new Promise(() => undefined);
    });
    await expect(tried).rejects.toThrow('interrupted');
    expect(ended).toEqual(['third', 'second', 'first']);
  });
});
