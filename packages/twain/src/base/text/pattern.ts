// Patterns of `@constraint(pattern:)` on a text. How long one may take is bounded when the file is loaded
// (model/directives/pattern-time.ts), for texts up to the length that is held here (decision 5).

/** The longest text that a pattern is tried on, in characters, where no maxLength says another. */
export const maxPatternTextLength = 1_000

const expressions = new Map<string, RegExp>()

/** Patterns stand in the schema file, so there are only so many of them. */
export function matchesPattern(text: string, pattern: string): boolean {
  let expression = expressions.get(pattern)
  if (expression === undefined) {
    expression = new RegExp(pattern, 'u')
    expressions.set(pattern, expression)
  }
  return expression.test(text)
}
