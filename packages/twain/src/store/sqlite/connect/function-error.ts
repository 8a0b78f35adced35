// Errors that functions of Twain throw inside a statement.
//
// Node loses the exception of a function if the statement also has an aggregate of ours: SQLite then ends the aggregate, which calls
// JavaScript again, and the statement returns no row instead. So a function leaves its error here. Whoever runs a statement clears
// it first, and asks for it if there is no row.

let left: Error | null = null

export function throwFromFunction(error: Error): never {
  left = error
  throw error
}

export function clearFunctionError(): void {
  left = null
}

/** Throws the error that the statement lost, if there is one. */
export function requireNoFunctionError(): void {
  if (left !== null) throw left
}
