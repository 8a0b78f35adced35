// The whole schema for people who look at it: types, fields, references, rules and transitions, each with its place in the schema file
// (`/docs/schema`, `servedSchema` of GraphQL). The lists are flat: GraphQL multiplies the cost of nested ones.

import { unreachable } from '#base'
import type {
  Abstract,
  AnyField,
  CustomOperation,
  CustomResultType,
  CustomScalar,
  EnumType,
  Model,
  OperationRule,
  Resource,
  Rule,
  SourceLocation,
  StoredType,
  ValueField,
  ValueType,
} from '#model'
import { printCustomType, printType } from '#model/names'
import { shownFile } from './describe-place.ts'
import { describeRule, describeTransition, describeTransitionActor } from './describe-rule.ts'
import { type FieldDependency, fieldDependencies, isOfFile } from './field-dependencies.ts'

export interface SchemaPicture {
  types: PictureType[]
  fields: PictureField[]
  rules: PictureRule[]
  transitions: PictureTransition[]
  dependencies: FieldDependency[]
}

interface PicturePlace {
  file: string
  line: number
}

interface PictureType extends PicturePlace {
  name: string
  /** `root`: `Query`, `Mutation` or `Subscription`, whose fields are custom operations. */
  kind: 'resource' | 'view' | 'interface' | 'union' | 'value' | 'input' | 'enum' | 'scalar' | 'root'
  /** The path of its collection; null: it has none. */
  path: string | null
  description: string | null
  /** The interfaces and unions of which it is a member. */
  memberOf: string[]
  /** The hooks of custom code that get its rows, and so each of its fields: `before`, `after` or `on`. */
  hooks: string[]
}

/** The hooks of custom code, by the name of their type. */
export type SchemaHooks = ReadonlyMap<string, readonly string[]>

interface PictureField extends PicturePlace {
  /** The name of its type. */
  of: string
  name: string
  kind: 'value' | 'reference' | 'list' | 'computed' | 'enumValue' | 'operation'
  /** As in the schema file; of a value of an enum: the enum. */
  type: string
  /** The type of the schema file that it leads to; null: a scalar of GraphQL or of the server. */
  to: string | null
  /** The other side of a reference or list, as a name of a field of `to`. */
  inverse: string | null
  unique: boolean
  description: string | null
  deprecated: string | null
  /** The first state, if the field is a state machine. */
  start: string | null
}

interface PictureRule extends PicturePlace {
  of: string
  /** Null: a rule of the type. */
  field: string | null
  rule: string
}

interface PictureTransition extends PicturePlace {
  of: string
  field: string
  from: string
  to: string
  /** Who can make it, and under which condition; empty: whoever may update the row. */
  who: string
  rule: string
}

export function schemaPicture(model: Model, hooks: SchemaHooks = new Map()): SchemaPicture {
  const rows = [...model.resources, ...model.views]
  const roots = Map.groupBy(model.operations, ({ root }) => root)
  return {
    types: [
      ...rows.map((of) => rowType(of, hooks.get(of.name) ?? [])),
      ...model.abstracts.map(abstractType),
      ...model.values.map(plainType),
      ...model.inputs.map(plainType),
      ...model.enums.map(plainType),
      ...model.scalars.map(plainType),
      ...[...roots].map(([name, operations]) => rootType(name, operations)),
    ],
    fields: [
      ...rows.flatMap(rowFields),
      ...model.abstracts.flatMap(abstractFields),
      ...[...model.values, ...model.inputs].flatMap(valueFields),
      ...model.enums.flatMap(enumValues),
      ...model.operations.map(operationField),
    ],
    rules: [
      ...rows.flatMap((of) => [
        ...ruleList(of.name, null, [...of.rules, ...of.auditRules, ...of.actRules]),
        ...fieldRules(of),
      ]),
      ...model.operations.flatMap(({ root, name, rules }) => ruleList(root, name, rules)),
    ],
    transitions: rows.flatMap(transitionList),
    dependencies: fieldDependencies(model),
  }
}

function placeOf({ file, line }: SourceLocation): PicturePlace {
  return { file: shownFile(file), line }
}

function rowType({ name, path, description, memberOf, view, place }: Resource, hooks: readonly string[]): PictureType {
  const kind = view === undefined ? 'resource' : 'view'
  const names = memberOf.map((one) => one.name)
  return { name, kind, path, description, memberOf: names, hooks: [...hooks], ...placeOf(place) }
}

function abstractType({ name, form, path, description, memberOf, place }: Abstract): PictureType {
  return {
    name,
    kind: form,
    path,
    description,
    memberOf: memberOf.map((one) => one.name),
    hooks: [],
    ...placeOf(place),
  }
}

function plainType(type: ValueType | EnumType | CustomScalar): PictureType {
  const { name, description, place } = type
  return { name, kind: plainKind(type), path: null, description, memberOf: [], hooks: [], ...placeOf(place) }
}

function plainKind(type: ValueType | EnumType | CustomScalar): PictureType['kind'] {
  switch (type.kind) {
    case 'value':
      return type.isInput === true ? 'input' : 'value'
    case 'enum':
      return 'enum'
    case 'custom':
      return 'scalar'
    default:
      return unreachable(type)
  }
}

/** At the place of its first field. */
function rootType(name: string, [first]: readonly CustomOperation[]): PictureType {
  return { name, kind: 'root', path: null, description: null, memberOf: [], hooks: [], ...placeOf(first!.place) }
}

/** Fields that the server adds have the place of their type. */
function rowFields(of: Resource): PictureField[] {
  return [...of.fields.values(), ...of.computed.values()].map((field) => rowField(of.name, field))
}

function abstractFields({ name, fields, computed }: Abstract): PictureField[] {
  return [...fields.values(), ...computed.values()].map((field) => rowField(name, field))
}

function rowField(of: string, field: AnyField): PictureField {
  const { name, description, deprecated, place } = field
  return {
    of,
    name,
    ...shapeOf(field),
    unique: isUnique(field),
    description,
    deprecated,
    start: field.kind === 'stored' ? (field.stateMachine?.start ?? null) : null,
    ...placeOf(place),
  }
}

function shapeOf(field: AnyField): Pick<PictureField, 'kind' | 'type' | 'to' | 'inverse'> {
  const bang = field.required ? '!' : ''
  switch (field.kind) {
    case 'stored':
      return { kind: 'value', type: `${printType(field.type)}${bang}`, to: namedType(field.type), inverse: null }
    case 'reference':
      return { kind: 'reference', type: `${field.to.name}${bang}`, to: field.to.name, inverse: inverseOf(field) }
    case 'inverse':
      return { kind: 'reference', type: field.to.name, to: field.to.name, inverse: field.via.name }
    case 'many':
      return { kind: 'list', type: `[${field.to.name}!]${bang}`, to: field.to.name, inverse: field.via.name }
    case 'links': {
      const other = field.side === 'left' ? field.link.right : field.link.left
      return { kind: 'list', type: `[${field.to.name}!]${bang}`, to: field.to.name, inverse: other?.name ?? null }
    }
    case 'computed':
      return {
        kind: 'computed',
        type: `${printCustomType(field.type)}${bang}`,
        to: namedResult(field.type),
        inverse: null,
      }
    default:
      return unreachable(field)
  }
}

/** The field of the other type that is made of this reference. */
function inverseOf(field: AnyField & { kind: 'reference' }): string | null {
  if (field.to.kind === 'abstract') return null
  const others = [...field.to.fields.values()]
  return others.find((one) => (one.kind === 'many' || one.kind === 'inverse') && one.via === field)?.name ?? null
}

function isUnique(field: AnyField): boolean {
  return field.owner.indexes.some(({ unique, fields }) => unique && fields.length === 1 && fields[0] === field)
}

function valueFields({ name: of, fields }: ValueType): PictureField[] {
  return [...fields.values()].map((field) => valueField(of, field))
}

function valueField(of: string, { name, type, required, description, deprecated, place }: ValueField): PictureField {
  return {
    of,
    name,
    kind: 'value',
    type: `${printType(type)}${required ? '!' : ''}`,
    to: namedType(type),
    inverse: null,
    unique: false,
    description,
    deprecated,
    start: null,
    ...placeOf(place),
  }
}

function enumValues({ name: of, values, place }: EnumType): PictureField[] {
  return values.map(({ name, description, deprecated }) => ({
    of,
    name,
    kind: 'enumValue',
    type: of,
    to: null,
    inverse: null,
    unique: false,
    description,
    deprecated,
    start: null,
    ...placeOf(place),
  }))
}

function operationField({ root, name, type, required, description, deprecated, place }: CustomOperation): PictureField {
  return {
    of: root,
    name,
    kind: 'operation',
    type: `${printCustomType(type)}${required ? '!' : ''}`,
    to: namedResult(type),
    inverse: null,
    unique: false,
    description,
    deprecated,
    start: null,
    ...placeOf(place),
  }
}

function namedType(type: StoredType): string | null {
  switch (type.kind) {
    case 'scalar':
      return null
    case 'custom':
      return type.scalar.name
    case 'enum':
      return type.enum.name
    case 'value':
      return type.value.name
    case 'list':
      return namedType(type.of)
    default:
      return unreachable(type)
  }
}

function namedResult(type: CustomResultType): string | null {
  return type.kind === 'stored' ? namedType(type.type) : type.of.name
}

function fieldRules({ name, fields, computed }: Resource): PictureRule[] {
  return [...fields.values(), ...computed.values()]
    .filter(isOfFile)
    .flatMap((field) => ruleList(name, field.name, field.rules))
}

function ruleList(of: string, field: string | null, rules: readonly (Rule | OperationRule)[]): PictureRule[] {
  return rules.map((rule) => ({ of, field, rule: describeRule(rule), ...placeOf(rule.place) }))
}

function transitionList({ name: of, fields }: Resource): PictureTransition[] {
  return [...fields.values()].flatMap((field) => {
    if (field.kind !== 'stored' || field.stateMachine === undefined) return []
    return field.stateMachine.transitions.flatMap((transition) =>
      transition.to.map((to) => ({
        of,
        field: field.name,
        from: transition.from,
        to,
        who: describeTransitionActor(transition),
        rule: describeTransition(transition),
        ...placeOf(transition.place),
      })),
    )
  })
}
