// The arguments of custom code: scalars, enums, the file's own `input` types, and lists of these, with defaults. An `input`
// is read when the first argument uses it, and only once, so an input may contain itself.

import { type ConstValueNode, type InputValueDefinitionNode, Kind, type NamedTypeNode } from 'graphql/language'
import { didYouMean } from '#base'
import { readConstraint } from '../directives/constraints.ts'
import { readLiteral } from '../directives/literals.ts'
import { placeOf } from '../mistakes.ts'
import type { Argument, Constraint, Json, StoredType, ValueType } from '../model.ts'
import { type DeclaredModel, deprecation, openValueFields } from '../parse/declare-types.ts'
import { findUse } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { type TypeShape, typeShape } from '../parse/type-shape.ts'
import { violation } from '../values/check-constraint.ts'
import { isScalarName, scalarNames } from '../values/scalars.ts'
import { containsUpload } from './contains-upload.ts'
import { wrapLists } from './resolve-type.ts'

/** `takesFiles`: an argument may be an `Upload`; custom code gets the id of the file. */
export function readArguments({ args }: DeclaredField, declarations: DeclaredModel, takesFiles = false): Argument[] {
  return args.flatMap((node) => {
    const uses = usesOf(node)
    const typed = readArgumentType(node, typeShape(node.type), uses, declarations)
    if (typed === null) return []
    if (!takesFiles && containsUpload(typed.type)) {
      const hint = 'Take the id of an uploaded file: ID.'
      declarations.report.at(node.type, 'Only an argument of a mutation can be or contain an Upload.', hint)
    }
    const description = node.description?.value ?? null
    return [{ name: node.name.value, description, deprecated: deprecation(uses), ...typed }]
  })
}

/** The outline stage has checked these directives already. */
function usesOf({ directives = [] }: InputValueDefinitionNode): DirectiveUse[] {
  return directives.map((node) => {
    const args = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]))
    return { name: node.name.value, node, args }
  })
}

/** The type, the constraint and the default of an argument. Null after a mistake. */
function readArgumentType(
  node: InputValueDefinitionNode,
  shape: TypeShape,
  uses: DirectiveUse[],
  declarations: DeclaredModel,
): Pick<Argument, 'required' | 'type' | 'constraint' | 'default'> | null {
  const named = inputType(shape.named, declarations)
  if (named === null) return null
  const type = wrapLists(named, shape)
  const { required } = shape
  const name = node.name.value
  const constraint = readConstraint({ name, uses }, type, declarations.report)
  if (node.defaultValue === undefined) return { required, type, constraint }
  const value = readFallback(name, node.defaultValue, type, constraint, required, declarations)
  return value === undefined ? null : { required, type, constraint, default: value }
}

function readFallback(
  name: string,
  node: ConstValueNode,
  type: StoredType,
  constraint: Constraint | null,
  required: boolean,
  { report }: DeclaredModel,
): Json | undefined {
  if (node.kind !== Kind.NULL) {
    const value = readLiteral(node, type, `The default of ${name}`, report)
    const problem = value === undefined ? null : violation(constraint, type, value)
    if (!problem) return value
    report.at(node, `The default of ${name} ${problem}.`, 'Change the default or the @constraint.')
    return undefined
  }
  if (!required) return null
  report.at(node, `The default of ${name} can't be null, since it is required.`, 'Give it a value, or remove the !.')
  return undefined
}

function inputType(named: NamedTypeNode, declarations: DeclaredModel): StoredType | null {
  const name = named.name.value
  if (name === 'Upload') return { kind: 'scalar', name: 'ID', isUpload: true }
  if (isScalarName(name)) return { kind: 'scalar', name }
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
    const typed = readArgumentType(field.node as InputValueDefinitionNode, field.shape, field.uses, declarations)
    if (typed === null) continue
    const documented = {
      description: field.description,
      deprecated: deprecation(field.uses),
      place: placeOf(field.node.name),
    }
    openValueFields(input).set(field.name, { name: field.name, ...documented, ...typed })
  }
  return input
}
