// Rows that rules give to an account, for its export: the default representation, with the type first and files as objects with their
// address. Pages are in the order of the ids.

import {
  type Account,
  isFile,
  type Model,
  membersOf,
  ownerPathsOf,
  type Resource,
  type StoredField,
  typeWord,
} from '#model'
import type { DeletedRows, PageRead, Parameter, Selection, TypeSelection, Where } from '../plan.ts'
import type { Visibility } from '../visibility.ts'
import { defaultSelection } from './default-selection.ts'
import { planOrder } from './order.ts'
import { PlanBuilder } from './plan-builder.ts'

/** The values of the plan, by parameter index. */
export type OwnedValues = [limit: number, offset: 0, after: string, account: string, files: number]

export interface OwnedRows {
  of: Resource
  account: Account
  /** Whether the viewer is the account. The rows of another account are found by a filter, which knows only what the viewer may read. */
  isOwn: boolean
  deleted: DeletedRows['rows'] | null
}

/** The limits of a page do not hold here, so that its parameters are plain numbers. */
export function planOwnedRows({ of, account, isOwn, deleted }: OwnedRows, visibility: Visibility): PageRead {
  const [limit, offset] = [0, 1].map((index): Parameter => ({ index, accepts: { kind: 'type', type: whole } }))
  const [after, id] = [2, 3].map((index): Parameter => ({ index, accepts: { kind: 'type', type: idType } }))
  const files: Parameter = { index: 4, accepts: { kind: 'type', type: whole } }
  const isLater: Where = { kind: 'compare', target: target(idOf(of)), op: 'gt', parameter: after! }
  const selections: Selection[] = [
    { kind: 'constant', key: typeWord, value: of.name },
    ...defaultSelection(of, visibility).map(withFile),
    ...fileLists(of, visibility, { kind: 'offset', limit: files, offset: offset! }),
  ]
  return {
    kind: 'many',
    of,
    within: null,
    ...(deleted !== null && of.softDelete !== undefined && { deleted: { rows: deleted } }),
    ...(isOwn && { owner: 'viewer' as const }),
    where: isOwn ? isLater : { kind: 'and', of: [isLater, belongsTo(account, of, id!)] },
    order: planOrder([], of, new PlanBuilder(visibility)),
    page: { kind: 'offset', limit: limit!, offset: offset! },
    shape: { kind: 'list', types: [{ of, selections }] },
  }
}

const whole = { kind: 'scalar', name: 'Int' } as const
const idType = { kind: 'scalar', name: 'ID' } as const

/** The types that have such rows: the account type first, then in the order of the schema file. */
export function ownedTypes(resources: readonly Resource[], model: Pick<Model, 'account'>): Resource[] {
  const isAccount = (of: Resource) => of === model.account?.resource
  const owned = resources.filter((of) => isAccount(of) || (of.view === undefined && ownerPathsOf(of, model).length > 0))
  return [...owned.filter(isAccount), ...owned.filter((of) => !isAccount(of))]
}

function belongsTo(account: Account, of: Resource, id: Parameter): Where {
  const { resource } = account
  const isAccount: Where = { kind: 'compare', target: target(idOf(resource)), op: 'eq', parameter: id }
  const conditions = ownerPathsOf(of, { account }).flatMap((owner): Where[] => {
    if (owner.kind === 'self') return []
    const field = owner.path[0]!
    const where: Where = field.to.kind === 'resource' ? isAccount : { kind: 'type', of: resource, where: isAccount }
    return [
      field.kind === 'reference' || field.kind === 'inverse'
        ? { kind: 'through', field, where }
        : { kind: 'some', field, where },
    ]
  })
  return { kind: 'or', of: of === resource ? [isAccount, ...conditions] : conditions }
}

function target(field: StoredField): Extract<Where, { kind: 'compare' }>['target'] {
  return { kind: 'target', field, inside: [] }
}

function idOf(of: Resource): StoredField {
  const id = of.fields.get('id')
  if (id?.kind !== 'stored') throw new Error('an id is stored')
  return id
}

function withFile(selection: Selection): Selection {
  if (selection.kind !== 'id' || !isFile(selection.field.to)) return selection
  const { key, field } = selection
  return { kind: 'one', key, field, types: membersOf(field.to).map(fileMembers) }
}

/** Lists are no part of the default representation, but nothing else leads the reader of an export to its files. */
function fileLists(of: Resource, visibility: Visibility, page: PageRead['page']): Selection[] {
  return [...of.fields.values()].flatMap((field): Selection[] => {
    if (field.kind !== 'links' || !isFile(field.to) || visibility.isHidden(field)) return []
    const order = planOrder([], field.to, new PlanBuilder(visibility))
    const shape: PageRead['shape'] = { kind: 'list', types: membersOf(field.to).map(fileMembers) }
    const read: PageRead = { kind: 'many', of: field.to, within: null, where: null, order, page, shape }
    return [{ kind: 'many', key: field.name, field, read }]
  })
}

function fileMembers(of: Resource): TypeSelection {
  const selections = [...of.fields.values()].flatMap((member): Selection[] => {
    if (member.kind !== 'stored') return []
    const one: Selection = { kind: 'field', key: member.name, field: member }
    return member.name === 'id' ? [one, { kind: 'url', key: 'url' }] : [one]
  })
  return { of, selections }
}
