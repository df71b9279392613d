import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Profile } from '../../profile.ts';
import { complaintAbout, complaintAsUpstream, drawAnimations, type Animation } from './functional.ts';

const plain: Animation = { width: 300, height: 200, delayMs: 23, reverted: false };
const reverted: Animation = { width: 300, height: 200, delayMs: 100, reverted: true };

function complaint(
  wanted: Animation,
  delays: (number | null)[],
  profile: Profile,
  [width, height]: readonly [number, number] = [300, 200],
): string | null {
  const complain = { strict: complaintAbout, upstream: complaintAsUpstream }[profile];
  return complain({ width, height, frames: delays.map((delayMs) => ({ delayMs })) }, wanted);
}

for (const profile of ['strict', 'upstream'] as const) {
  test(`frames and their delays, ${profile}`, () => {
    assert.equal(complaint(plain, [20, 30], profile), null);
    assert.match(complaint(plain, [20, 40], profile) ?? '', /23 ms a frame .* 2 frames; they last 20, 40/);
    assert.match(complaint(plain, [20], profile) ?? '', /2 frames/);
    assert.match(complaint(plain, [20, 20, 20], profile) ?? '', /2 frames/);
    assert.match(complaint(plain, [0, 20], profile) ?? '', /they last 0, 20/);
    assert.equal(complaint(reverted, [100, 100, 100, 100], profile), null);
    assert.equal(complaint(reverted, [100, 100, 100], profile), null);
    assert.match(complaint(reverted, [100, 100], profile) ?? '', /4 or 3 frames/);
    assert.match(complaint(reverted, [100, 100, 110], profile) ?? '', /they last 100, 100, 110/);
  });
}

test('the size, with and without the proportions of the images', () => {
  for (const size of [
    [300, 200],
    [200, 200],
    [300, 169],
  ] as const)
    assert.equal(complaint(plain, [20, 20], 'strict', size), null, String(size));
  for (const size of [
    [100, 100],
    [1920, 1080],
    [300, 300],
    [356, 200],
  ] as const) {
    assert.match(complaint(plain, [20, 20], 'strict', size) ?? '', /must be of 300x200/, String(size));
    assert.equal(complaint(plain, [20, 20], 'upstream', size), null, String(size));
  }
});

test('one frame for two that are alike', () => {
  assert.equal(complaint(reverted, [100, 200, 100], 'strict'), null);
  assert.match(complaint(reverted, [100, 200, 100], 'upstream') ?? '', /100, 200, 100/);
});

test('a frame without delay', () => {
  assert.match(complaint(plain, [20, null], 'strict') ?? '', /20, no time/);
  assert.throws(() => complaint(plain, [20, null], 'upstream'), TypeError);
  assert.match(complaint(plain, [40, null], 'upstream') ?? '', /they last 40/, 'what comes before it is told first');
  assert.match(complaint(plain, [null], 'upstream') ?? '', /2 frames/);
});

test('what is drawn is of the form of what upstream asks, and no app that computes with fractions is a pixel off', () => {
  for (let tries = 0; tries < 500; tries += 1) {
    const [wide, square] = drawAnimations();
    assert.ok(
      wide &&
        square &&
        wide.width > wide.height &&
        wide.delayMs % 10 > 0 &&
        wide.delayMs > 20 &&
        wide.delayMs < 100 &&
        !wide.reverted,
    );
    assert.ok(square.width === square.height && square.delayMs % 10 === 0 && square.delayMs >= 100 && square.reverted);
    for (const { width, height } of [wide, square]) {
      for (const [ofWidth, ofHeight] of [
        [100, 100],
        [1920, 1080],
      ] as const) {
        const scale = Math.min(width / ofWidth, height / ofHeight);
        const [scaledWidth, scaledHeight] = [Math.floor(ofWidth * scale), Math.floor(ofHeight * scale)];
        assert.ok(
          scaledWidth === width || scaledHeight === height,
          `${scaledWidth}x${scaledHeight} for ${width}x${height}`,
        );
      }
    }
  }
  assert.equal(new Set(Array.from({ length: 20 }, () => JSON.stringify(drawAnimations()))).size, 20);
});
