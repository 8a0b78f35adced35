// Removes components that no path refers to. The generators create every component that a schema may need.

import type { OpenapiObject, OpenapiValue } from './json-parts.ts'

const prefix = '#/components/'

/** `components`: by kind (`schemas`, `parameters`…) and name. Security schemes stay: they are referred to by name. */
export function reachableComponents(
  roots: OpenapiValue,
  components: Readonly<Record<string, OpenapiObject>>,
): OpenapiObject {
  const reached = new Set<string>()
  const names = new Map(Object.keys(components).map((kind) => [kind, new Set<string>()]))
  const waiting: (OpenapiValue | undefined)[] = [roots]
  while (waiting.length > 0) follow(waiting.pop())
  const reachable = Object.entries(components).map(([kind, all]): [string, OpenapiObject] => {
    if (kind === 'securitySchemes') return [kind, all]
    const reachedNames = names.get(kind)!
    return [kind, Object.fromEntries(Object.entries(all).filter(([name]) => reachedNames.has(name)))]
  })
  return Object.fromEntries(reachable.filter(([, all]) => Object.keys(all).length > 0))

  function follow(part: OpenapiValue | undefined): void {
    if (typeof part !== 'object' || part === null) return
    if (isList(part)) {
      for (const item of part) follow(item)
      return
    }
    for (const key in part) {
      const member = part[key]
      if (key === '$ref' && typeof member === 'string') reach(member)
      else if (typeof member === 'object') follow(member)
    }
  }

  function reach(reference: string): void {
    if (reached.has(reference)) return
    reached.add(reference)
    const end = reference.lastIndexOf('/') // no name of a component has one
    const kind = reference.slice(prefix.length, end)
    const name = reference.slice(end + 1)
    names.get(kind)?.add(name)
    waiting.push(components[kind]?.[name])
  }
}

function isList(part: readonly OpenapiValue[] | OpenapiObject): part is readonly OpenapiValue[] {
  return Array.isArray(part)
}
