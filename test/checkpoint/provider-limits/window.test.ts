import { expect, test } from 'vitest';
import type { Window } from '#core/checkpoint/provider-limits/window.ts';
import { roomInMs, sumOf, windowAt, withAmount } from '#core/checkpoint/provider-limits/window.ts';

/** A time at the beginning of a quarter of a second. */
const START = 1_800_000_000_000;

const booked = (...bookings: [at: number, amount: number][]): Window =>
  bookings.reduce((window: Window, [at, amount]) => withAmount(window, START + at, amount), {});
const sumAt = (window: Window, at: number) => sumOf(windowAt(window, START + at));
const roomAt = (window: Window, at: number, { most, amount = 1 }: { most: number; amount?: number }) =>
  roomInMs(window, { now: START + at, most, amount });

test('a window counts an amount for a minute, and at most a quarter of a second more', () => {
  const window = booked([0, 3], [249, 4]);

  expect([0, 59_999, 60_000, 60_249].map((at) => sumAt(window, at))).toEqual([7, 7, 7, 7]);
  expect(sumAt(window, 60_250)).toBe(0);
});

test('a window forgets amounts quarter by quarter', () => {
  const window = booked([0, 1], [250, 10], [30_000, 100]);

  expect([60_249, 60_250, 60_500, 90_249, 90_250].map((at) => sumAt(window, at))).toEqual([111, 110, 100, 100, 0]);
});

test('amounts of the same quarter are one entry, so a window has at most 241 entries', () => {
  const often = Array.from({ length: 1_500 }, (_, nth): [number, number] => [nth * 113, 1]);

  const window = windowAt(booked(...often), START + 1_499 * 113);

  expect(Object.keys(window)).toHaveLength(241);
});

test('room exists at once, or after the needed amount has left the window', () => {
  const window = booked([0, 2], [10_000, 3], [20_000, 5]);
  const at = 30_000;

  expect(roomAt(window, at, { most: 11 })).toBe(0);
  expect(roomAt(window, at, { most: 10 })).toBe(60_250 - at);
  expect(roomAt(window, at, { most: 10, amount: 2 })).toBe(60_250 - at);
  expect(roomAt(window, at, { most: 10, amount: 3 })).toBe(70_250 - at);
  expect(roomAt(window, at, { most: 10, amount: 6 })).toBe(80_250 - at);
});

test('the announced time of room in a window is exact', () => {
  const window = booked([137, 4], [3_333, 1], [41_000, 5]);
  for (const amount of [1, 4, 5, 6, 10]) {
    const ms = roomAt(window, 41_001, { most: 10, amount });

    expect(roomAt(window, 41_001 + ms, { most: 10, amount })).toBe(0);
    expect(roomAt(window, 41_001 + ms - 1, { most: 10, amount })).toBe(1);
  }
});

test('an amount above the limit fits into an empty window only', () => {
  expect(roomAt({}, 0, { most: 10, amount: 500 })).toBe(0);
  expect(roomAt(booked([0, 1]), 1_000, { most: 10, amount: 500 })).toBe(59_250);
  expect(roomAt(booked([0, 500]), 1_000, { most: 10, amount: 1 })).toBe(59_250);
});

test('a correction counts at the time of its booking, and returns at most the booking', () => {
  const window = booked([0, 100], [30_000, 50]);

  const [less, more] = [withAmount(window, START, -80), withAmount(window, START, 30)];

  expect([sumAt(less, 30_000), sumAt(less, 60_250)]).toEqual([70, 50]);
  expect([sumAt(more, 30_000), sumAt(more, 60_250)]).toEqual([180, 50]);
  expect(sumAt(withAmount(window, START, -500), 30_000)).toBe(50);
});

test('a correction of an expired booking has no effect', () => {
  const window = windowAt(booked([0, 100], [90_000, 50]), START + 90_000);

  expect(sumAt(withAmount(window, START, -80), 90_000)).toBe(50);
  expect(sumAt(withAmount(window, START, 80), 90_000)).toBe(50);
});
