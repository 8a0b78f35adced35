// Estimates the memory that a cached plan takes, for the weight of cache entries. A plan is plain data with references into
// the model: objects of the model have a name, and the walk stops there.

/** Of an object with its place in its parent (docs/internals/decisions/0045-bounded-memory.md). */
const objectBytes = 100

/** The plan itself, its authorized copy, and what the pipeline remembers of both. */
export function planBytes(plan: object): number {
  return 2 * sizeOf(plan)
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce((bytes: number, member) => bytes + sizeOf(member), 32)
  if ('name' in value) return 0
  let bytes = objectBytes
  for (const member of Object.values(value)) bytes += sizeOf(member)
  return bytes
}
