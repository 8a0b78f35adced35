// Root fields that custom code resolves.

import type { CustomOperation, Model } from '#model'
import { printCustomType } from '#model/names'
import { customArguments, deprecation, described } from './sdl.ts'

/** The fields of a root type that custom code resolves. */
export function customFields(root: CustomOperation['root'], { operations }: Model): string[] {
  return operations.filter((operation) => operation.root === root).map(customField)
}

/** A root field of mutations is always nullable: its failure takes nothing from the fields beside it. */
function customField({ root, name, description, args, type, required, deprecated }: CustomOperation): string {
  const isNonNull = required && root !== 'Mutation'
  const result = `${printCustomType(type)}${isNonNull ? '!' : ''}${deprecation(deprecated)}`
  return described(description, `${name}${customArguments(args)}: ${result}`)
}
