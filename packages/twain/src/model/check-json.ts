// Checks texts and JSON values. No database stores a NUL character or half a surrogate pair.

import { hasEnoughProblems, type Problem } from '#base'

/** The text itself, or null with a problem. */
export function checkText(value: unknown, path: string, problems: Problem[]): string | null {
  if (typeof value !== 'string') return problem(problems, path, 'TYPE', 'must be a string.')
  if (value.includes('\0')) return problem(problems, path, 'PATTERN', 'must not contain a NUL character.')
  if (!value.isWellFormed())
    return problem(problems, path, 'PATTERN', 'must be well-formed Unicode (it holds half a surrogate pair).')
  return value
}

const maxJsonDepth = 64

/** `trail` is the path from `path` to the value. It is joined only for a problem. */
export function checkJson(value: unknown, path: string, problems: Problem[], trail: (string | number)[] = []): unknown {
  if (trail.length > maxJsonDepth) {
    return problem(problems, placeIn(), 'RANGE', `must not be nested deeper than ${maxJsonDepth} levels.`)
  }
  if (typeof value === 'number') return checkFinite(value, path, problems, trail)
  if (typeof value === 'string' && isText(value)) return value
  if (value === null || typeof value === 'boolean' || hasEnoughProblems(problems)) return value
  if (Array.isArray(value)) return value.map((item, index) => inside(index, item))
  if (typeof value === 'object') {
    // fromEntries defines each member, so that one called `__proto__` stays plain data.
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        if (!isText(key)) checkText(key, placeIn(), problems)
        return [key, inside(key, member)]
      }),
    )
  }
  if (typeof value === 'string') return checkText(value, placeIn(), problems)
  return problem(problems, placeIn(), 'TYPE', 'must be JSON.')

  function inside(key: string | number, member: unknown): unknown {
    trail.push(key)
    const checked = checkJson(member, path, problems, trail)
    trail.pop()
    return checked
  }

  function placeIn(): string {
    return [path, ...trail].join('.')
  }
}

/** A finite double. −0 becomes 0. */
export function checkFinite(
  value: number,
  path: string,
  problems: Problem[],
  trail: readonly (string | number)[] = [],
): number | null {
  if (Number.isFinite(value)) return value + 0
  return problem(problems, [path, ...trail].join('.'), 'RANGE', 'must be a finite number of double precision.')
}

function isText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

export function problem(problems: Problem[], path: string, code: Problem['code'], message: string): null {
  problems.push({ path, code, message })
  return null
}
