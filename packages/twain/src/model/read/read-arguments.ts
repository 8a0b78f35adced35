// The arguments of custom code: scalars, enums, the file's own `input` types, and lists of these, with defaults. An `input`
// is read when the first argument uses it, and only once, so an input may contain itself.

import { type ConstValueNode, type InputValueDefinitionNode, Kind, type NamedTypeNode } from 'graphql/language'
import { didYouMean } from '#base'
import { readLiteral } from '../directives/literals.ts'
import { placeOf } from '../mistakes.ts'
import type { Argument, Json, StoredType, ValueType } from '../model.ts'
import { type DeclaredModel, deprecation, openValueFields, scalarNames } from '../parse/declare-types.ts'
import { findUse } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { type TypeShape, typeShape } from '../parse/type-shape.ts'
import { wrapLists } from './resolve-type.ts'

/** `takesFiles`: an argument may be an `Upload`; custom code gets the id of the file. */
export function readArguments({ args }: DeclaredField, declarations: DeclaredModel, takesFiles = false): Argument[] {
  return args.flatMap((node) => {
    const typed = readArgumentType(node, typeShape(node.type), declarations, takesFiles)
    if (typed === null) return []
    const description = node.description?.value ?? null
    return [{ name: node.name.value, description, deprecated: deprecation(usesOf(node)), ...typed }]
  })
}

/** The outline stage has checked these directives already. */
function usesOf({ directives = [] }: InputValueDefinitionNode): DirectiveUse[] {
  return directives.map((node) => {
    const args = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]))
    return { name: node.name.value, node, args }
  })
}

/** The type and the default of an argument. Null after a mistake. */
function readArgumentType(
  node: InputValueDefinitionNode,
  shape: TypeShape,
  declarations: DeclaredModel,
  takesFiles = false,
): Pick<Argument, 'required' | 'type' | 'default'> | null {
  const named =
    takesFiles && shape.named.name.value === upload.name ? upload.type : inputType(shape.named, declarations)
  if (named === null) return null
  const type = wrapLists(named, shape)
  const { required } = shape
  if (node.defaultValue === undefined) return { required, type }
  const value = readFallback(node.name.value, node.defaultValue, type, required, declarations)
  return value === undefined ? null : { required, type, default: value }
}

function readFallback(
  name: string,
  node: ConstValueNode,
  type: StoredType,
  required: boolean,
  { report }: DeclaredModel,
): Json | undefined {
  if (node.kind !== Kind.NULL) return readLiteral(node, type, `The default of ${name}`, report)
  if (!required) return null
  report.at(node, `The default of ${name} can't be null, since it is required.`, 'Give it a value, or remove the !.')
  return undefined
}

const upload = { name: 'Upload', type: { kind: 'scalar', name: 'ID', isUpload: true } } as const

function inputType(named: NamedTypeNode, declarations: DeclaredModel): StoredType | null {
  const name = named.name.value
  if (name === upload.name) {
    const hint = 'Take the id of an uploaded file: ID.'
    declarations.report.at(named, 'Only an argument of a mutation can be an Upload.', hint)
    return null
  }
  if (scalarNames.has(name)) return { kind: 'scalar', name } as StoredType
  const type = declarations.types.get(name)
  if (type?.kind === 'enum') return { kind: 'enum', enum: type }
  if (type?.kind === 'custom') return { kind: 'custom', scalar: type }
  const declared = declarations.outline.types.get(name)
  if (declared?.kind === 'input') return { kind: 'value', value: readInput(name, declarations) }
  const known = [...scalarNames, ...[...declarations.outline.types.values()].filter(isProvided).map((one) => one.name)]
  const hint =
    didYouMean(name, known).trim() || `Define it: input ${name} { … }. Custom code takes scalars, enums and inputs.`
  const what = declared === undefined ? `There is no input ${name}.` : `${name} is no input: it can't be sent.`
  declarations.report.at(named, what, hint)
  return null
}

function isProvided({ kind }: { kind: string }): boolean {
  return kind === 'input' || kind === 'enum' || kind === 'scalar'
}

function readInput(name: string, declarations: DeclaredModel): ValueType {
  const known = declarations.inputs.get(name)
  if (known !== undefined) return known
  const { node, description, uses, fields } = declarations.outline.types.get(name)!
  const place = placeOf(node)
  const input: ValueType = { kind: 'value', name, description, fields: new Map(), isInput: true, place }
  if (findUse(uses, 'oneOf')) input.isOneOf = true
  declarations.inputs.set(name, input)
  for (const field of fields.values()) {
    const typed = readArgumentType(field.node as InputValueDefinitionNode, field.shape, declarations)
    if (typed === null) continue
    const documented = {
      description: field.description,
      deprecated: deprecation(field.uses),
      place: placeOf(field.node.name),
    }
    openValueFields(input).set(field.name, { name: field.name, ...documented, ...typed, constraint: null })
  }
  return input
}
