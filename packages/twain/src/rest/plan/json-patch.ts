// JSON patch (RFC 6902; docs/reference/rest.md, R49): operations on a row as a JSON document. A malformed patch reports every
// mistake with its path. An operation that does not apply to the document, or a failed `test`, is a conflict for the whole patch.

import { isDeepStrictEqual } from 'node:util'
import { type ApiError, didYouMean, hasEnoughProblems, isRecord, type Problem, validationError } from '#base'

export type PatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string[]; value: unknown }
  | { op: 'remove'; path: string[] }
  | { op: 'move' | 'copy'; path: string[]; from: string[] }

const operationNames = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

/** `maxOperationCount`: 0 for no limit. */
export function readPatch(body: unknown, maxOperationCount: number): PatchOperation[] {
  if (!Array.isArray(body)) {
    throw validationError([{ path: '', code: 'TYPE', message: 'must be an array of operations (RFC 6902).' }])
  }
  if (maxOperationCount > 0 && body.length > maxOperationCount) {
    throw validationError([
      { path: '', code: 'RANGE', message: `has ${body.length} operations; there may be ${maxOperationCount}.` },
    ])
  }
  const problems: Problem[] = []
  const operations: PatchOperation[] = []
  for (const [index, operation] of body.entries()) {
    if (hasEnoughProblems(problems)) break
    const read = readOperation(operation, String(index), problems)
    if (read !== null) operations.push(read)
  }
  if (problems.length > 0) throw validationError(problems)
  return operations
}

/** Unknown members of an operation are ignored (RFC 6902, 4). */
function readOperation(sent: unknown, place: string, problems: Problem[]): PatchOperation | null {
  if (!isRecord(sent)) {
    problems.push({
      path: place,
      code: 'TYPE',
      message: 'must be an object such as {"op": "remove", "path": "/title"}.',
    })
    return null
  }
  const members = sent as Record<string, unknown>
  const op = operationNames.find((name) => name === members.op)
  if (op === undefined) {
    const near = didYouMean(String(members.op), operationNames) || ` There are ${operationNames.join(', ')}.`
    const code = Object.hasOwn(members, 'op') ? 'UNKNOWN' : 'REQUIRED'
    problems.push({ path: `${place}.op`, code, message: `must be an operation.${near}` })
  }
  const path = readPointer(members, 'path', place, problems)
  const needsFrom = op === 'move' || op === 'copy'
  const from = needsFrom ? readPointer(members, 'from', place, problems) : null
  const needsValue = op === 'add' || op === 'replace' || op === 'test'
  if (needsValue && !Object.hasOwn(members, 'value')) {
    problems.push({ path: `${place}.value`, code: 'REQUIRED', message: 'is required.' })
  }
  if (op === undefined || path === null) return null
  if (needsValue) return { op, path, value: members.value }
  if (op === 'remove') return { op, path }
  return from === null ? null : { op: op as 'move' | 'copy', path, from }
}

function readPointer(
  members: Record<string, unknown>,
  name: 'path' | 'from',
  place: string,
  problems: Problem[],
): string[] | null {
  const text = members[name]
  const pointer = typeof text === 'string' ? parsePointer(text) : null
  if (pointer !== null) return pointer
  const code = text === undefined ? 'REQUIRED' : 'PATTERN'
  problems.push({ path: `${place}.${name}`, code, message: 'must be a JSON pointer such as "/address/city".' })
  return null
}

/** Returns a changed copy of the document. */
export function applyPatch(document: unknown, operations: readonly PatchOperation[]): unknown {
  const state = { root: copyOf(document).value, copied: 0 }
  for (const [index, operation] of operations.entries()) apply(operation, String(index), state)
  return state.root
}

interface PatchState {
  root: unknown
  /** Characters that `copy` operations have added: repeated doubling must not fill the memory. */
  copied: number
}

const maxCopiedCharacters = 1_048_576

function apply(operation: PatchOperation, place: string, state: PatchState): void {
  const { op, path } = operation
  switch (op) {
    case 'add':
      add(state, path, operation.value, `${place}.path`)
      break
    case 'remove':
      remove(state, path, `${place}.path`)
      break
    case 'replace':
      remove(state, path, `${place}.path`)
      add(state, path, operation.value, `${place}.path`)
      break
    case 'move':
      if (isWithin(path, operation.from))
        throw conflict(`${place}.path`, 'UNKNOWN', 'is inside the value that is moved.')
      add(state, path, remove(state, operation.from, `${place}.from`), `${place}.path`)
      break
    case 'copy': {
      const { value, length } = copyOf(find(state, operation.from, `${place}.from`))
      state.copied += length
      if (state.copied > maxCopiedCharacters)
        throw conflict(place, 'RANGE', `copies more than ${maxCopiedCharacters} characters.`)
      add(state, path, value, `${place}.path`)
      break
    }
    case 'test':
      if (isDeepStrictEqual(find(state, path, `${place}.path`), copyOf(operation.value).value)) return
      throw conflict(`${place}.value`, 'STATE', 'differs from the current value.')
  }
}

function isWithin(path: readonly string[], other: readonly string[]): boolean {
  return path.length > other.length && other.every((name, index) => name === path[index])
}

function find(state: PatchState, path: readonly string[], place: string): unknown {
  let at = state.root
  for (const name of path) {
    if (!has(at, name)) throw nothingThere(place)
    at = (at as Record<string, unknown>)[name]
  }
  return at
}

function add(state: PatchState, path: readonly string[], value: unknown, place: string): void {
  const name = path.at(-1)
  if (name === undefined) {
    state.root = value
    return
  }
  const parent = find(state, path.slice(0, -1), place)
  if (Array.isArray(parent)) {
    const index = name === '-' ? parent.length : indexOf(name)
    if (index === null || index > parent.length) throw nothingThere(place)
    parent.splice(index, 0, value)
  } else if (typeof parent === 'object' && parent !== null) {
    // defineProperty: a member named `__proto__` is plain data.
    Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true })
  } else throw nothingThere(place)
}

function remove(state: PatchState, path: readonly string[], place: string): unknown {
  const name = path.at(-1)
  const value = find(state, path, place)
  if (name === undefined) {
    state.root = null
    return value
  }
  const parent = find(state, path.slice(0, -1), place)
  if (Array.isArray(parent)) parent.splice(Number(name), 1)
  else delete (parent as Record<string, unknown>)[name]
  return value
}

function has(at: unknown, name: string): boolean {
  if (Array.isArray(at)) {
    const index = indexOf(name)
    return index !== null && index < at.length
  }
  return typeof at === 'object' && at !== null && Object.hasOwn(at, name)
}

function indexOf(name: string): number | null {
  return /^(?:0|[1-9]\d{0,8})$/.test(name) ? Number(name) : null
}

function copyOf(value: unknown): { value: unknown; length: number } {
  const text = JSON.stringify(value)
  return { value: JSON.parse(text), length: text.length }
}

function nothingThere(place: string): ApiError {
  return conflict(place, 'UNKNOWN', 'does not exist in the document.')
}

function conflict(path: string, code: Problem['code'], message: string): ApiError {
  return validationError([{ path, code, message }], 'CONFLICT')
}

/** The names of a JSON pointer (RFC 6901); null if the text is not a pointer. */
export function parsePointer(text: string): string[] | null {
  if (text === '') return []
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return null
  return text
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function printPointer(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
