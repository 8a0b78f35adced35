// Matches a text against `@constraint(pattern:)`. The model bounds the time of a pattern when it loads the schema file
// (model/directives/pattern-complexity.ts), for texts up to the length that is enforced here (decision 5).

/** Longest text, in characters, that is matched where the field has no maxLength. */
export const maxPatternTextLength = 1_000

const expressions = new Map<string, RegExp>()

/** Patterns come from the schema file, so their number is bounded. */
export function matchesPattern(text: string, pattern: string): boolean {
  let expression = expressions.get(pattern)
  if (expression === undefined) {
    expression = new RegExp(pattern, 'u')
    expressions.set(pattern, expression)
  }
  return expression.test(text)
}
