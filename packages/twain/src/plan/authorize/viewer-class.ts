// Viewers that fall under the same lines of the contract are one class: they share every plan and every statement, and
// differ only in the account that is bound.

import type { Viewer } from '#base'
import { type Model, type Rule, stateFields, type Transition } from '#model'

export interface ViewerClass {
  readonly key: string
  /** Has an account: paths, `signedIn` and `self` can hold. */
  readonly signedIn: boolean
  readonly roles: ReadonlySet<string>
}

export function viewerClassOf(viewer: Viewer, model: Model): ViewerClass {
  const { named, classes } = classesOf(model)
  const roles = viewer.roles.filter((role) => named.has(role)).sort()
  const key = `${viewer.account === null ? '-' : '+'}${JSON.stringify(roles)}`
  const found = classes.get(key)
  if (found !== undefined) return found
  const made = { key, signedIn: viewer.account !== null, roles: new Set(roles) }
  classes.set(key, made)
  return made
}

interface ModelClasses {
  /** Every role that a line names: others make no difference. */
  named: ReadonlySet<string>
  classes: Map<string, ViewerClass>
}

const classesByModel = new WeakMap<Model, ModelClasses>()

function classesOf(model: Model): ModelClasses {
  const found = classesByModel.get(model)
  if (found !== undefined) return found
  const named = namedRoles(model)
  named.add('admin') // has what no line gives: types without one, and the roles of others
  const made: ModelClasses = { named, classes: new Map() }
  classesByModel.set(model, made)
  return made
}

/** In the order of the file. */
export function namedRoles(model: Model): Set<string> {
  const lines = [...rulesOf(model), ...transitionsOf(model)]
  return new Set(lines.flatMap(({ role }) => role ?? []))
}

function rulesOf(model: Model): Rule[] {
  return model.resources.flatMap((resource) => [
    ...resource.rules,
    ...[...resource.fields.values()].flatMap((field) => field.rules),
  ])
}

function transitionsOf(model: Model): readonly Transition[] {
  return model.resources.flatMap((resource) =>
    stateFields(resource).flatMap(({ stateMachine }) => stateMachine.transitions),
  )
}

/** Whether the contract says nothing about who may do what: then nothing is judged. */
export function isUnrestricted(model: Model): boolean {
  return model.account === null && rulesOf(model).length === 0
}
