// Combines conditions and folds constants: a condition that never or always holds is known before any row is read.

import { unreachable } from '#base'
import type { Where } from '../plan.ts'

export const always: Where = { kind: 'constant', is: true }
export const never: Where = { kind: 'constant', is: false }

export function isAlways(where: Where): boolean {
  return where.kind === 'constant' && where.is
}

export function isNever(where: Where): boolean {
  return where.kind === 'constant' && !where.is
}

export function all(parts: readonly Where[]): Where {
  if (parts.some(isNever)) return never
  const left = parts.filter((part) => !isAlways(part))
  if (left.length === 0) return always
  return left.length === 1 ? left[0]! : { kind: 'and', of: left }
}

export function any(parts: readonly Where[]): Where {
  if (parts.some(isAlways)) return always
  const left = parts.filter((part) => !isNever(part))
  if (left.length === 0) return never
  return left.length === 1 ? left[0]! : { kind: 'or', of: left }
}

/** The same condition with its constants folded. Without an account, `isViewer` never holds. */
export function simplify(where: Where, signedIn: boolean): Where {
  switch (where.kind) {
    case 'and':
      return all(where.of.map((part) => simplify(part, signedIn)))
    case 'or':
      return any(where.of.map((part) => simplify(part, signedIn)))
    case 'not': {
      const inner = simplify(where.of, signedIn)
      return inner.kind === 'constant' ? { kind: 'constant', is: !inner.is } : { kind: 'not', of: inner }
    }
    case 'viewer':
      return signedIn ? where : never
    case 'through': {
      const inner = simplify(where.where, signedIn)
      return isNever(inner) ? never : { ...where, where: inner }
    }
    case 'some':
    case 'none': {
      const inner = where.where === null ? null : simplify(where.where, signedIn)
      if (inner !== null && isNever(inner)) return where.kind === 'some' ? never : always
      return { ...where, where: inner }
    }
    case 'type': {
      if (where.where === undefined) return where
      const inner = simplify(where.where, signedIn)
      if (isNever(inner)) return never
      return isAlways(inner) ? { kind: 'type', of: where.of } : { ...where, where: inner }
    }
    case 'compare':
    case 'search':
    case 'null':
    case 'constant':
    case 'live':
      return where
    default:
      return unreachable(where)
  }
}
