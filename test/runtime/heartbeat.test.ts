import { describe, expect, test } from '@jest/globals';
import { sparingly } from '../../activities/shared/heartbeat.ts';

describe('sparingly', () => {
  test('beats not in the first second, then once a second however often it is called', () => {
    let clockMs = 5_000;
    const beats: number[] = [];
    const beat = sparingly(
      (bytes: number) => beats.push(bytes),
      () => clockMs,
    );
    for (const atMs of [0, 10, 500, 999, 1_001, 1_500, 2_000, 2_001, 3_000]) {
      clockMs = 5_000 + atMs;
      beat(atMs);
    }
    expect(beats).toEqual([999, 2_000, 3_000]);
  });

  test('does not hold back a beat of a long silence', () => {
    let clockMs = 0;
    const beats: string[] = [];
    const beat = sparingly(
      (text: string) => beats.push(text),
      () => clockMs,
    );
    clockMs = 60_000;
    beat('first sign after a minute');
    expect(beats).toEqual(['first sign after a minute']);
  });
});
