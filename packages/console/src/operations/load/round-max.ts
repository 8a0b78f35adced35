// The upper end of an axis: 1, 2 or 5 with zeros, so that its middle is a short number.

export function roundMax(value: number): number {
  if (value <= 1) return 1
  const unit = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((factor) => factor * unit).find((max) => max >= value)!
}
