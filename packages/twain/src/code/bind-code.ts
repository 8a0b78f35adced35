// What `twain.config.ts` exports, held against the contract: every field that wants code has it, and all code has its field.
// All mistakes are told at once, each with what to write.

import { didYouMean } from '#base'
import type { ComputedField, Model } from '#model'
import type { ComputedResolver } from './define-service.ts'

/** The code does not fit the contract. */
export class CodeRejected extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.name = 'CodeRejected'
    this.mistakes = mistakes
  }
}

/** The code of a contract, by what it answers. */
export interface BoundCode {
  computed: ReadonlyMap<ComputedField, ComputedResolver>
}

/** `exported` is what the file gives by default; null where there is no file. Throws CodeRejected. */
export function bindCode(exported: unknown, model: Model): BoundCode {
  const mistakes: string[] = []
  const resolvers = recordOf(memberOf(exported, 'resolvers'), 'resolvers', mistakes)
  checkNames(resolvers, model, mistakes)
  const computed = new Map<ComputedField, ComputedResolver>()
  for (const resource of model.resources) {
    const own = recordOf(memberOf(resolvers, resource.name), `resolvers.${resource.name}`, mistakes)
    for (const field of resource.computed.values()) {
      const resolver = memberOf(own, field.name)
      if (typeof resolver === 'function') computed.set(field, resolver as ComputedResolver)
      else mistakes.push(missing(field, resolver))
    }
  }
  if (mistakes.length > 0) throw new CodeRejected(mistakes)
  return { computed }
}

const file = 'twain.config.ts'

function missing(field: ComputedField, given: unknown): string {
  const { owner, name, from } = field
  const what = `${owner.name}.${name}`
  if (given !== undefined) return `${file}: resolvers.${what} must be a function.`
  const source = from[0]?.name ?? 'id'
  return `${what} is computed, and ${file} has no resolver for it. Write:

  import { defineService } from 'twain'

  export default defineService({
    resolvers: {
      ${owner.name}: {
        ${name}: (rows) => rows.map((row) => row.${source}),
      },
    },
  })
`
}

/** Code that nobody would ever call is a slip. */
function checkNames(resolvers: object, model: Model, mistakes: string[]): void {
  const types = model.resources.filter(({ computed }) => computed.size > 0)
  for (const [name, own] of Object.entries(resolvers)) {
    const type = model.resources.find((resource) => resource.name === name)
    if (type === undefined) {
      const near = didYouMean(
        name,
        types.map((resource) => resource.name),
      )
      mistakes.push(`${file}: resolvers.${name}: there is no resource ${name}.${near}`)
      continue
    }
    for (const field of Object.keys(typeof own === 'object' && own !== null ? own : {})) {
      if (type.computed.has(field)) continue
      const what = `${file}: resolvers.${name}.${field}:`
      if (type.fields.has(field)) {
        mistakes.push(
          `${what} ${name}.${field} is not computed. Write @computed behind it in the schema, or remove this.`,
        )
      } else mistakes.push(`${what} ${name} has no computed field ${field}.${didYouMean(field, type.computed.keys())}`)
    }
  }
}

function memberOf(record: unknown, name: string): unknown {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, name)) return undefined
  return (record as Record<string, unknown>)[name]
}

function recordOf(value: unknown, what: string, mistakes: string[]): object {
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  mistakes.push(`${file}: ${what} must be an object.`)
  return {}
}
