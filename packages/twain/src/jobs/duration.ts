// Durations as `twain.config.ts` writes them: '30s', '15m', '1h', '2d'.

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds; null if the text is no duration. */
export function parseDuration(text: unknown): number | null {
  const [, amount, unit] = typeof text === 'string' ? (/^(\d{1,6})(s|m|h|d)$/.exec(text) ?? []) : []
  if (amount === undefined || Number(amount) === 0) return null
  return Number(amount) * unitMs[unit!]!
}
