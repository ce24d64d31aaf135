// Small statistics, and one figure as the table shows it.

/** Value at a share of the sorted values, 0.5 for the median. */
export function percentile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values) {
  return percentile(values, 0.5);
}

/** Differences of neighbours. */
export function steps(values) {
  return values.slice(1).map((value, index) => value - values[index]);
}

/**
 * One row. `aim` is `{ of: 'value' | 'ratio', max | min }` or null where nothing is asked; `baseline` is
 * `{ name, value }` or null; `ratio` defaults to value over baseline.
 */
export function figure({ measure, value, unit, baseline = null, ratio, aim = null, note = null }) {
  const share = ratio ?? (baseline === null ? null : value / baseline.value);
  return { measure, value: round(value), unit, baseline: rounded(baseline), ratio: round(share), aim, note };
}

/** True, false, or null without an aim. */
export function isMet({ value, ratio, aim }) {
  if (aim === null) return null;
  const got = aim.of === 'ratio' ? ratio : value;
  return got !== null && got <= (aim.max ?? Infinity) && got >= (aim.min ?? -Infinity);
}

function rounded(baseline) {
  return baseline === null ? null : { name: baseline.name, value: round(baseline.value) };
}

function round(value) {
  if (value === null) return null;
  return Number(value.toFixed(Math.abs(value) < 100 ? 2 : 0));
}
