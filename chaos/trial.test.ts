import { describe, expect, test } from 'vitest';
import { type Trial, runTrial } from './trial.ts';

const { signal } = new AbortController();
const say = () => undefined;

/** Starts three things; the end of the second one fails. */
function startThree(trial: Trial, endedNames: string[]): void {
  for (const name of ['first', 'second', 'third']) {
    trial.onEnd(() => {
      endedNames.push(name);
      if (name === 'second') throw new Error('gone already');
    });
  }
}

describe('what a fault has started is ended after it, the last first', () => {
  test('when it succeeds, and a thing that could not be ended is an error', async () => {
    const endedNames: string[] = [];
    const outcome = runTrial({ say, signal }, (trial) => {
      startThree(trial, endedNames);
      return Promise.resolve('held');
    });
    await expect(outcome).rejects.toThrow('not everything ended: Error: gone already');
    expect(endedNames).toEqual(['third', 'second', 'first']);
  });

  test('when it fails, with its own reason', async () => {
    const endedNames: string[] = [];
    const outcome = runTrial({ say, signal }, (trial) => {
      startThree(trial, endedNames);
      return Promise.reject(new Error('no origin'));
    });
    await expect(outcome).rejects.toThrow('no origin');
    expect(endedNames).toEqual(['third', 'second', 'first']);
  });

  test('when it is interrupted', async () => {
    const endedNames: string[] = [];
    const interrupt = new AbortController();
    const outcome = runTrial({ say, signal: interrupt.signal }, (trial) => {
      startThree(trial, endedNames);
      interrupt.abort();
      return new Promise(() => undefined);
    });
    await expect(outcome).rejects.toThrow('interrupted');
    expect(endedNames).toEqual(['third', 'second', 'first']);
  });
});
