// Creates every type of the file as an empty object of its kind, with its REST and GraphQL names, so that fields can refer
// to types that come later. The later stages fill in the rest.

import { Kind } from 'graphql/language'
import { NamedFields } from '../aliases.ts'
import { type MistakeReport, placeOf } from '../mistakes.ts'
import type {
  Abstract,
  CacheHint,
  ComputedField,
  CustomScalar,
  EnumType,
  Field,
  FileType,
  ModelType,
  NamedClaim,
  Resource,
  Rule,
  ValueField,
  ValueType,
} from '../model.ts'
import { camelCase, kebabCase, lowerFirst } from '../names/case.ts'
import { plural } from '../names/plural.ts'
import { isScalarName } from '../values/scalars.ts'
import { findUse, wordArgument, wordsArgument } from './directive-arguments.ts'
import { type DeclaredField, type DeclaredType, isRoot, type SchemaOutline } from './outline.ts'
import type { DirectiveUse } from './read-directives.ts'

/** A model under construction. */
export interface DeclaredModel {
  outline: SchemaOutline
  report: MistakeReport
  /** Every type of the file except the root types and the inputs, in the order of the file. */
  types: Map<string, ModelType>
  /** The `input` types of the file that custom code takes, as far as they are found. */
  inputs: Map<string, ValueType>
  /** The type `File`, if a field of that type was found. */
  file: FileType | null
  builtIn: BuiltInTypes
  /** The claims that rules and defaults name, as far as they are found. */
  claims: NamedClaim[]
  /** The declaration of a type, for code that needs the syntax again: to locate a mistake or read a directive. */
  declared: (type: ModelType) => DeclaredType
}

/** The types of the server itself, as fields of a schema file see them. */
export interface BuiltInTypes {
  makeFile(): FileType
  /** Whether it is one that no field may have. */
  isUnreferable(name: string): boolean
}

export function declareTypes(outline: SchemaOutline, report: MistakeReport, builtIn: BuiltInTypes): DeclaredModel {
  const types = new Map<string, ModelType>()
  for (const declared of outline.types.values()) {
    const shell = shellOf(declared, report)
    if (shell) types.set(declared.name, shell)
  }
  const declared = ({ name }: ModelType) => outline.types.get(name) ?? nowhere
  return { outline, report, types, inputs: new Map(), file: null, builtIn, claims: [], declared }
}

/** The built-in types have no declaration in the file. */
const nowhere: DeclaredType = {
  kind: 'object',
  name: '',
  node: { kind: Kind.NAME, value: '' },
  description: null,
  uses: [],
  fields: new Map(),
  interfaces: [],
  members: [],
  values: new Map(),
}

function shellOf(declared: DeclaredType, report: MistakeReport): ModelType | null {
  const { name, description } = declared
  const place = placeOf(declared.node)
  const was = readAlias(declared.uses)
  const alias = was === null ? {} : { alias: was }
  switch (declared.kind) {
    case 'object':
      if (isRoot(name)) return null
      if (isResource(declared, report)) {
        const lists = {
          fields: new NamedFields<Field>(),
          computed: new NamedFields<ComputedField>(),
          indexes: [],
          rules: [],
          auditRules: [],
          actRules: [],
          memberOf: [],
        }
        return { kind: 'resource', name, description, ...alias, ...pathNames(declared), ...lists, place }
      }
      return {
        kind: 'value',
        name,
        description,
        ...alias,
        fields: new NamedFields(),
        ...cacheHint(declared.uses),
        place,
      }
    case 'interface':
    case 'union': {
      const lists = {
        members: [],
        fields: new NamedFields<Field>(),
        computed: new NamedFields<ComputedField>(),
        memberOf: [],
      }
      const names = { name, description, ...alias, ...pathNames(declared) }
      return { kind: 'abstract', form: declared.kind, ...names, ...lists, place }
    }
    case 'enum':
      return { kind: 'enum', name, description, ...alias, values: enumValues(declared), place }
    case 'scalar': {
      // `scalar DateTime` only helps editors: it is built in.
      if (isScalarName(name) || name === 'Upload') return null
      const specifiedBy = wordArgument(findUse(declared.uses, 'specifiedBy'), 'url')?.text ?? null
      return { kind: 'custom', name, description, ...alias, specifiedBy, place }
    }
    case 'input':
      return null
  }
}

/** An object type with an `id` has rows. Any other type of `id` than `ID!` is a mistake, and is then read as `ID!`. */
function isResource({ name, fields }: DeclaredType, report: MistakeReport): boolean {
  const id = fields.get('id')
  if (!id) return false
  const { named, required, lists } = id.shape
  if (named.name.value !== 'ID' || !required || lists.length > 0) {
    report.at(
      id.node.type,
      `The id of ${name} must be of the type ID!.`,
      'Write: id: ID!, or give the field another name if the type has no rows of its own.',
    )
  }
  return true
}

function pathNames(declared: DeclaredType) {
  const use = findUse(declared.uses, 'resource')
  const path = wordArgument(use, 'path')?.text ?? plural(kebabCase(declared.name))
  const previousPaths = wordsArgument(use, 'was').map(({ text }) => text)
  return { path, previousPaths, list: camelCase(path), single: lowerFirst(declared.name), ...cacheHint(declared.uses) }
}

function enumValues(declared: DeclaredType): EnumType['values'] {
  return [...declared.values.values()].map(({ name, description, uses }) => ({
    name,
    description,
    deprecated: deprecation(uses),
    ...aliasOf(uses),
  }))
}

/** The previous name from `@was`, if present. */
function aliasOf(uses: readonly DirectiveUse[]): { alias?: string } {
  const alias = readAlias(uses)
  return alias === null ? {} : { alias }
}

function readAlias(uses: readonly DirectiveUse[]): string | null {
  return wordArgument(findUse(uses, 'was'), 'name')?.text ?? null
}

/** The reason of `@deprecated`, or null. */
export function deprecation(uses: readonly DirectiveUse[]): string | null {
  const use = findUse(uses, 'deprecated')
  if (!use) return null
  const reason = use.args.get('reason')
  return reason?.kind === Kind.STRING ? reason.value : 'No longer supported'
}

/** The values of `@cacheControl`, if present. */
export function cacheHint(uses: readonly DirectiveUse[]): { cache?: CacheHint } {
  const use = findUse(uses, 'cacheControl')
  if (!use) return {}
  const age = use.args.get('maxAge')
  const scope = wordArgument(use, 'scope')?.text
  const maxAge = age?.kind === Kind.INT ? Number(age.value) : null
  return { cache: { maxAge, scope: scope === 'PUBLIC' || scope === 'PRIVATE' ? scope : null } }
}

/** The weight of `@cost`, if present. */
export function readCost(uses: readonly DirectiveUse[]): { cost?: number } {
  const weight = findUse(uses, 'cost')?.args.get('weight')
  return weight?.kind === Kind.INT ? { cost: Number(weight.value) } : {}
}

/** The properties that every kind of field has. */
export function fieldBase({ name, node, description, uses, shape }: DeclaredField) {
  const base = { name, description, deprecated: deprecation(uses), required: shape.required, place: placeOf(node.name) }
  return { ...base, ...aliasOf(uses), ...cacheHint(uses), ...readCost(uses) }
}

/** The properties that every field of a resource has. Its rules are read later, when all fields are known. */
export function rowFieldBase(owner: Resource, declared: DeclaredField) {
  const rules: Rule[] = []
  return { owner, ...fieldBase(declared), rules }
}

export function resourcesOf({ types }: DeclaredModel): Resource[] {
  return [...types.values()].filter((type) => type.kind === 'resource')
}

export function abstractsOf({ types }: DeclaredModel): Abstract[] {
  return [...types.values()].filter((type) => type.kind === 'abstract')
}

export function valuesOf({ types }: DeclaredModel): ValueType[] {
  return [...types.values()].filter((type) => type.kind === 'value')
}

export function enumsOf({ types }: DeclaredModel): EnumType[] {
  return [...types.values()].filter((type) => type.kind === 'enum')
}

export function scalarsOf({ types }: DeclaredModel): CustomScalar[] {
  return [...types.values()].filter((type) => type.kind === 'custom')
}

/** The model's maps are read-only for users and writable while the model is built. */
export function openFields(type: Resource | Abstract): Map<string, Field> {
  return type.fields as Map<string, Field>
}

export function openComputed(type: Resource | Abstract): Map<string, ComputedField> {
  return type.computed as Map<string, ComputedField>
}

export function openValueFields(type: ValueType): Map<string, ValueField> {
  return type.fields as Map<string, ValueField>
}
