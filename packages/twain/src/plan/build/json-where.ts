// A filter as JSON (`?where=`, or a filter of custom code). It separates the values of the filter from its shape, so that
// requests that differ only in values share one plan. What does not fit the model stays as it is: planWhere reports it.

import { isRecord, unreachable } from '#base'
import { type Abstract, type Field, memberNamed, type Resource, type StoredType } from '#model'
import { RequestValue } from './request-value.ts'

type KeyPath = readonly (string | number)[]

/** The filter with its values as RequestValues; `find` finds the filter in the next request. */
export function jsonWhere(json: unknown, of: Resource | Abstract, find: (request: never) => unknown): unknown {
  return inRow(json, of, [])

  function inRow(tree: unknown, row: Resource | Abstract, keys: KeyPath): unknown {
    return inLevel(tree, keys, (name, sub, way) => {
      const field = row.fields.get(name)
      if (field !== undefined) return inField(sub, field, way)
      const member = row.kind === 'abstract' ? memberNamed(row, name) : undefined
      return member === undefined ? sub : inRow(sub, member, way)
    })
  }

  function inField(sub: unknown, field: Field, keys: KeyPath): unknown {
    switch (field.kind) {
      case 'stored':
        return inStored(sub, field.type, keys)
      case 'reference':
      case 'inverse':
        return inRow(sub, field.to, keys)
      case 'many':
      case 'links':
        return mapMembers(sub, keys, (_, inner, way) => inRow(inner, field.to, way))
      default:
        return unreachable(field)
    }
  }

  function inStored(sub: unknown, type: StoredType, keys: KeyPath): unknown {
    if (type.kind !== 'value') {
      return mapMembers(sub, keys, (op, value, way) =>
        op === 'isNull' || op === 'exists' || value === null ? value : source(value, way),
      )
    }
    return inLevel(sub, keys, (name, inner, way) => {
      const member = type.value.fields.get(name)
      return member === undefined ? inner : inStored(inner, member.type, way)
    })
  }

  function inLevel(tree: unknown, keys: KeyPath, inMember: MemberVisitor): unknown {
    return mapMembers(tree, keys, (name, sub, way) => {
      if (name === 'isNull' || name === 'isViewer') return sub
      if (name === 'not') return inLevel(sub, way, inMember)
      if (name !== 'and' && name !== 'or') return inMember(name, sub, way)
      if (!Array.isArray(sub)) return inLevel(sub, way, inMember)
      return sub.map((branch, position) => inLevel(branch, [...way, position], inMember))
    })
  }

  function source(value: unknown, keys: KeyPath): RequestValue {
    return new RequestValue(value, (request) => valueAt(find(request), keys))
  }
}

/** The filter without its values: equal for all requests that one plan serves. */
export function whereShape(json: unknown, of: Resource | Abstract): string {
  return JSON.stringify(
    jsonWhere(json, of, () => null),
    (_, value) => (value instanceof RequestValue ? '?' : value),
  )
}

type MemberVisitor = (name: string, sub: unknown, keys: KeyPath) => unknown

/** fromEntries defines each member, so that one called `__proto__` stays plain data. */
function mapMembers(tree: unknown, keys: KeyPath, visit: MemberVisitor): unknown {
  if (!isRecord(tree)) return tree
  return Object.fromEntries(Object.entries(tree).map(([name, sub]) => [name, visit(name, sub, [...keys, name])]))
}

function valueAt(tree: unknown, keys: KeyPath): unknown {
  return keys.reduce((at, key) => (at as Record<string | number, unknown>)[key], tree)
}
