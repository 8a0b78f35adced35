// The names of the generated GraphQL types (docs/reference/schema.md#generated-names), each with the type that it is
// generated for.

import { countableFields, incrementInput } from '../countable-fields.ts'
import { changeableLists, changedRowInput, isChangedInLists, listInput, takesNewRows } from '../list-writes.ts'
import { hasAddresses } from '../members-of.ts'
import type { Account, Model, Resource, SystemTypes } from '../model.ts'
import { ownedInput } from '../owned-lists.ts'
import { typenameEnum, typenameFilter } from '../type-filters.ts'
import { compoundKeyInput, keyInput, uniqueKeysOf } from '../unique-keys.ts'
import { scalarNames } from '../values/scalars.ts'
import { writesOf } from '../writes-of.ts'
import { aggregateTypeNames, comparedScalars, comparisonType, groupByTypes } from './aggregates.ts'

export interface GeneratedType {
  name: string
  /** The type of the file, or null if the generated type always exists. */
  generatedFor: { keyword: string; name: string } | null
  /** Whether it is an input type. */
  input: boolean
}

export function generatedTypes(
  model: Pick<Model, 'account' | 'file' | 'system' | 'resources' | 'abstracts' | 'values' | 'enums' | 'scalars'>,
): GeneratedType[] {
  const { account, file, system, resources, abstracts, values, enums, scalars } = model
  return [
    ...standing.map((name) => ({ name, generatedFor: null, input: /(?:Filter|Input|Comparison)$/.test(name) })),
    ...ofServer(system).map((name) => ({
      name,
      generatedFor: null,
      input: /(?:Input|Where|Order|Filter)$/.test(name),
    })),
    ...(file ? collection(file.resource.name).map((name) => ({ name, generatedFor: null, input: isInput(name) })) : []),
    ...(file ? imageEnums.map((name) => ({ name, generatedFor: null, input: false })) : []),
    ...resources.flatMap((resource) => {
      const { name, fields } = resource
      return [
        ...collection(name),
        ...aggregateTypeNames(resource),
        `Create${name}Input`,
        `Update${name}Input`,
        `${name}Changed`,
        `${name}Deleted`,
        ...(countableFields(resource).length === 0 ? [] : [incrementInput(resource)]),
        ...keyInputs(resource),
        ...[...fields.values()].filter(takesNewRows).map(ownedInput),
        ...(isChangedInLists(resource, resources) ? [changedRowInput(resource)] : []),
        ...changeableLists(resource, 'create').map(({ field }) => listInput(field, 'create')),
        ...changeableLists(resource, 'update').map(({ field }) => listInput(field, 'update')),
      ].map(generatedFor('type', name))
    }),
    ...(resources.some(({ softDelete }) => softDelete !== undefined)
      ? [{ name: deletedRowsType, generatedFor: null, input: false }]
      : []),
    ...(account ? ofAccount(account).map(generatedFor('type', account.resource.name)) : []),
    ...abstracts.flatMap((abstract) => {
      const { name, form } = abstract
      const types = [
        ...collection(name),
        ...aggregateTypeNames(abstract),
        typenameEnum(abstract),
        typenameFilter(abstract),
      ]
      return types.map(generatedFor(form, name))
    }),
    ...values.flatMap(({ name }) => [`${name}Input`, `${name}Where`].map(generatedFor('type', name))),
    ...enums.flatMap(({ name }) => filters(name).map(generatedFor('enum', name))),
    ...scalars.flatMap(({ name }) => filters(name).map(generatedFor('scalar', name))),
  ]
}

function keyInputs(resource: Resource): string[] {
  const keys = uniqueKeysOf(resource)
  if (keys.length === 0) return []
  const compound = keys.filter(({ fields }) => fields.length > 1)
  return [keyInput(resource), ...compound.map((key) => compoundKeyInput(resource, key))]
}

/** Codes are mailed, if the logins are addresses. */
function ofAccount(account: Account): string[] {
  const ofCodes = hasAddresses(account) ? ['Code', 'CodePurpose', 'CreateCodeInput', 'Mail'] : []
  const ofProofs = account.verification === 'OFF' ? [] : ['Verification', 'VerifyAccountInput']
  const ofSignUps = account.verification === 'REQUIRED' ? ['SignUpResult'] : []
  return ['CreateTokenInput', 'CreateTokenAsInput', 'CreateIdentityInput', ...ofCodes, ...ofProofs, ...ofSignUps]
}

/** The enum of the argument `deleted` of lists. */
export const deletedRowsType = 'DeletedRows'

const standing = [
  'PageInfo',
  'DeleteResult',
  'BulkResult',
  'RowResult',
  'RowProblem',
  'Direction',
  'ChangeConnection',
  'ChangeEdge',
  'ChangeKind',
  'RowChange',
  'RowChangeConnection',
  'RowChangeEdge',
  'FieldChange',
  ...Object.values(groupByTypes),
  ...comparedScalars.map(comparisonType),
  ...scalarNames.flatMap(filters),
]

/** Of the arguments that ask for a variant of an image. */
export const imageEnums: readonly string[] = ['ImageFit', 'ImageFormat']

/** The names that the types of the server itself bring. */
function ofServer({ resources, values, enums }: SystemTypes): string[] {
  return [
    ...resources.flatMap((resource) => {
      const { name } = resource
      const inputs = { create: [`Create${name}Input`], replace: [], update: [`Update${name}Input`], delete: [] }
      return [...collection(name), ...writesOf(resource).flatMap((write) => inputs[write])]
    }),
    ...values.flatMap(({ name }) => [name, `${name}Input`, `${name}Where`]),
    ...enums.flatMap(({ name }) => [name, ...filters(name)]),
  ]
}

function collection(name: string): string[] {
  return [`${name}Where`, `${name}ListWhere`, `${name}Order`, `${name}ListOrder`, `${name}Connection`, `${name}Edge`]
}

function filters(name: string): string[] {
  return [`${name}Filter`, `${name}ListFilter`]
}

function generatedFor(keyword: string, owner: string): (name: string) => GeneratedType {
  return (name) => ({ name, generatedFor: { keyword, name: owner }, input: isInput(name) })
}

function isInput(name: string): boolean {
  return !/(?:^Code|^CodePurpose|^Mail|Connection|Edge|Changed|Deleted|Kind|Typename|Aggregate|AggregateSum|AggregateAvg|AggregateMinMax|AggregateDistinct|Group|GroupKey)$/.test(
    name,
  )
}
