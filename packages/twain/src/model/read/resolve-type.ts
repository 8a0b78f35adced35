// Resolves the type of a field by name: a stored type, or a resource. An unknown name is a mistake with a suggestion.

import type { NamedTypeNode } from 'graphql/language'
import { didYouMean, unreachable } from '#base'
import type { Abstract, Resource, StoredType } from '../model.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { findUse } from '../parse/directive-arguments.ts'
import type { TypeShape } from '../parse/type-shape.ts'
import { isScalarName, scalarNames } from '../values/scalars.ts'

type ResolvedType = { kind: 'stored'; type: StoredType } | { kind: 'rows'; of: Resource | Abstract }

/** The type with this name, without the lists around it; null after a mistake. */
export function resolveType(named: NamedTypeNode, declarations: DeclaredModel): ResolvedType | null {
  const name = named.name.value
  if (isScalarName(name)) return { kind: 'stored', type: { kind: 'scalar', name } }
  if (name === 'File') {
    declarations.file ??= declarations.builtIn.makeFile()
    return { kind: 'rows', of: declarations.file.resource }
  }
  const type = declarations.types.get(name)
  if (!type) {
    reportUnknown(named, declarations)
    return null
  }
  switch (type.kind) {
    case 'resource':
      if (findUse(declarations.declared(type).uses, 'view')) {
        const hint = 'Refer from the view to other types, and read it by itself.'
        declarations.report.at(named, `${name} is a view, which nothing can refer to.`, hint)
        return null
      }
      return { kind: 'rows', of: type }
    case 'abstract':
      if (type.members.length > 0) return { kind: 'rows', of: type }
      if (type.form === 'interface') {
        declarations.report.at(
          named,
          `No resource implements ${name}, so there is nothing that a field of this type could contain.`,
          `Let a type with an id implement it: type Thing implements ${name} { id: ID! … }.`,
        )
      }
      return null
    case 'value':
      return { kind: 'stored', type: { kind: 'value', value: type } }
    case 'enum':
      return { kind: 'stored', type: { kind: 'enum', enum: type } }
    case 'custom':
      return { kind: 'stored', type: { kind: 'custom', scalar: type } }
    default:
      return unreachable(type)
  }
}

function reportUnknown(named: NamedTypeNode, declarations: DeclaredModel): void {
  const name = named.name.value
  const declared = declarations.outline.types.get(name)
  if (name === 'Upload') {
    declarations.report.at(
      named,
      'Upload is for inputs only: no field can have this type.',
      'Write File: a file that was uploaded.',
    )
  } else if (declared?.kind === 'input') {
    declarations.report.at(named, `${name} is an input: it can't be the type of a field.`, 'Use a type here.')
  } else if (declared) {
    declarations.report.at(named, `${name} is for operations: it can't be the type of a field.`, 'Use a type here.')
  } else if (declarations.builtIn.isUnreferable(name)) {
    const hint = 'Store the id: a field of the type ID.'
    declarations.report.at(named, `${name} is a type of the server itself: no field can refer to it.`, hint)
  } else {
    const known = [...scalarNames, 'File', ...declarations.types.keys()]
    const hint =
      didYouMean(name, known).trim() || `Define it: type ${name} { … }, enum ${name} { … } or scalar ${name}.`
    declarations.report.at(named, `There is no type ${name}.`, hint)
  }
}

/** The stored type with the lists of the shape around it. */
export function wrapLists(type: StoredType, { lists }: TypeShape): StoredType {
  return lists.reduceRight<StoredType>((of, { itemRequired }) => ({ kind: 'list', of, itemRequired }), type)
}
