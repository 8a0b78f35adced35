// JSON text that is equal for equal values, whatever the order of their keys. It omits undefined values, as JSON does.

export function stable(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) && !isOrdered(part)
      ? Object.fromEntries(Object.entries(part).sort(byKey))
      : part,
  )
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)

function isOrdered(part: object): boolean {
  let last = ''
  for (const key in part) {
    if (key < last) return false
    last = key
  }
  return true
}
