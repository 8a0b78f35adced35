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

/** The value itself, or a copy where it is not plain JSON or holds −0. `trail` is the path from `path` to the value. It is joined only for a problem. */
export function checkJson(value: unknown, path: string, problems: Problem[], trail: (string | number)[] = []): unknown {
  if (trail.length > maxJsonDepth) {
    return problem(problems, placeIn(path, trail), 'RANGE', `must not be nested deeper than ${maxJsonDepth} levels.`)
  }
  if (typeof value === 'number') return checkFinite(value, path, problems, trail)
  if (typeof value === 'string') return isText(value) ? value : checkText(value, placeIn(path, trail), problems)
  if (value === null || typeof value === 'boolean' || hasEnoughProblems(problems)) return value
  if (Array.isArray(value)) return checkItems(value, path, problems, trail)
  if (typeof value === 'object') return checkJsonMembers(value, path, problems, trail)
  return problem(problems, placeIn(path, trail), 'TYPE', 'must be JSON.')
}

function checkItems(list: unknown[], path: string, problems: Problem[], trail: (string | number)[]): unknown[] {
  let copy: unknown[] | null = null
  for (let index = 0; index < list.length; index++) {
    trail.push(index)
    const checked = checkJson(list[index], path, problems, trail)
    trail.pop()
    if (Object.is(checked, list[index])) continue
    copy ??= [...list]
    copy[index] = checked
  }
  return copy ?? list
}

function checkJsonMembers(of: object, path: string, problems: Problem[], trail: (string | number)[]): object {
  const members = of as Record<string, unknown>
  let copy = Object.getPrototypeOf(of) === Object.prototype ? null : copyOf(of)
  for (const key of Object.keys(members)) {
    if (!isText(key)) checkText(key, placeIn(path, trail), problems)
    const member = members[key]
    trail.push(key)
    const checked = checkJson(member, path, problems, trail)
    trail.pop()
    if (Object.is(checked, member)) continue
    copy ??= copyOf(of)
    Object.defineProperty(copy, key, { value: checked })
  }
  return copy ?? of
}

/** fromEntries defines each member, so that one called `__proto__` stays plain data. */
function copyOf(of: object): object {
  return Object.fromEntries(Object.entries(of))
}

function placeIn(path: string, trail: readonly (string | number)[]): string {
  return [path, ...trail].join('.')
}

/** A finite double. −0 becomes 0. */
export function checkFinite(
  value: number,
  path: string,
  problems: Problem[],
  trail: readonly (string | number)[] = [],
): number | null {
  if (Number.isFinite(value)) return value + 0
  return problem(problems, placeIn(path, trail), 'RANGE', 'must be a finite number of double precision.')
}

function isText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

export function problem(problems: Problem[], path: string, code: Problem['code'], message: string): null {
  problems.push({ path, code, message })
  return null
}
