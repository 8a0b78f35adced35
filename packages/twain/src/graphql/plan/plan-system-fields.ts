// Root fields that no plan of rows answers: `changes`, `createToken`, `deleteTokens`, `createCode`, `verifyAccount` and `mails`; and `uploadFile`, which stores a
// file and then reads its row. Here they are planned; `execute/` runs them.

import type { Resource } from '#model'
import { type ExportNames, type invitationFields, invitationType } from '#model/names'
import type { Limits, RowRead } from '#plan'
import type { Visibility } from '#plan/build'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { type ObjectMembers, type ObjectShape, planObjectShape } from './object-shape.ts'
import { type FieldArguments, type PlanContext, rootArguments } from './plan-context.ts'
import { planSelections } from './plan-selection.ts'

export interface PlannedChangesField {
  kind: 'changes'
  key: string
  shape: ObjectShape
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

const changeObjects: ObjectMembers = {
  ChangeConnection: { edges: 'ChangeEdge', pageInfo: 'PageInfo' },
  ChangeEdge: { node: 'Change' },
}

export function planChanges(field: SelectedField, context: PlanContext): PlannedChangesField {
  return {
    kind: 'changes',
    key: field.key,
    shape: planObjectShape('ChangeConnection', subselections(field), changeObjects, context),
    bindArguments: rootArguments(field, context.schema.getQueryType()),
  }
}

/** The export of an account. */
export interface PlannedExport {
  kind: 'export'
  key: string
  shape: ObjectShape
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planExport(
  field: SelectedField,
  { connection, edge }: ExportNames,
  context: PlanContext,
): PlannedExport {
  const objects: ObjectMembers = { [connection]: { edges: edge, pageInfo: 'PageInfo' } }
  return {
    kind: 'export',
    key: field.key,
    shape: planObjectShape(connection, subselections(field), objects, context),
    bindArguments: rootArguments(field, context.schema.getQueryType()),
  }
}

export interface PlannedSignIn {
  kind: 'signIn'
  /** `Identity`: a provider is attached to the viewer's account. */
  makes: 'Token' | 'Identity'
  /** The selected fields of the token or identity. */
  result: readonly SelectedField[]
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planSignIn(
  field: SelectedField,
  context: PlanContext,
  makes: PlannedSignIn['makes'] = 'Token',
): PlannedSignIn {
  return {
    kind: 'signIn',
    makes,
    result: context.collect(subselections(field), (name) => name === makes),
    bindArguments: rootArguments(field, context.schema.getMutationType()),
  }
}

/** Ends many sessions. */
export interface PlannedEndSessions {
  kind: 'endSessions'
  /** The selected fields of the result. */
  result: readonly SelectedField[]
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planEndSessions(field: SelectedField, context: PlanContext): PlannedEndSessions {
  return {
    kind: 'endSessions',
    result: context.collect(subselections(field), (name) => name === 'BulkResult'),
    bindArguments: rootArguments(field, context.schema.getMutationType()),
  }
}

export interface PlannedCode {
  kind: 'code'
  /** Whether the code proves an address; else it is created. */
  isUsed: boolean
  /** The selected fields of the code, or of the verification. */
  result: readonly SelectedField[]
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planCode(field: SelectedField, context: PlanContext, isUsed: boolean): PlannedCode {
  return {
    kind: 'code',
    isUsed,
    result: context.collect(subselections(field), (name) => name === (isUsed ? 'Verification' : 'Code')),
    bindArguments: rootArguments(field, context.schema.getMutationType()),
  }
}

export interface PlannedSignUp {
  kind: 'signUp'
  visibility: Visibility
  /** The selected fields of the result. */
  result: readonly SelectedField[]
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planSignUp(field: SelectedField, context: PlanContext): PlannedSignUp {
  return {
    kind: 'signUp',
    visibility: context.builder.visibility,
    result: context.collect(subselections(field), (name) => name === 'SignUpResult'),
    bindArguments: rootArguments(field, context.schema.getMutationType()),
  }
}

export interface PlannedInvitation {
  kind: 'invitation'
  action: keyof typeof invitationFields
  visibility: Visibility
  /** The selected fields of the invitation, or of the result of a delete. */
  result: readonly SelectedField[]
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planInvitation(
  action: keyof typeof invitationFields,
  field: SelectedField,
  context: PlanContext,
): PlannedInvitation {
  const type = action === 'delete' ? 'DeleteResult' : invitationType
  return {
    kind: 'invitation',
    action,
    visibility: context.builder.visibility,
    result: context.collect(subselections(field), (name) => name === type),
    bindArguments: rootArguments(field, context.schema.getMutationType()),
  }
}

export interface PlannedMails {
  kind: 'mails'
  /** The selected fields of each mail. */
  result: readonly SelectedField[]
}

export function planMails(field: SelectedField, context: PlanContext): PlannedMails {
  return { kind: 'mails', result: context.collect(subselections(field), (name) => name === 'Mail') }
}

export interface PlannedUpload {
  kind: 'upload'
  /** Reads the row of the file; its only parameter is the id. */
  plan: RowRead
  places: readonly string[]
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planUpload(of: Resource, field: SelectedField, context: PlanContext, limits: Limits): PlannedUpload {
  const { builder } = context
  const idType = { kind: 'scalar', name: 'ID' } as const
  const id = builder.parameter({ kind: 'type', type: idType }, '', `${field.key}.file`)
  const selections = planSelections(of, subselections(field), context, field.key)
  builder.finish(limits)
  return {
    kind: 'upload',
    plan: { kind: 'one', of, id, selections },
    places: builder.places,
    bindArguments: rootArguments(field, context.schema.getMutationType()),
  }
}
